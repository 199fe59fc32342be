// What balancers and orchestrators see, and that a stop lets calls in flight end well.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { startGateway } from '../support/gateway.ts'
import { ERAS, message2025, toolCall } from '../support/messages.ts'
import { send } from '../support/raw-http.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

const open: FaultyDesk[] = []
afterEach(async () => {
  for (const desk of open.splice(0)) await desk.close().catch(() => undefined)
})

async function start(variables: Record<string, string> = {}): Promise<FaultyDesk> {
  const desk = await startFaultyDesk(variables)
  open.push(desk)
  return desk
}

const get = async (origin: string, path: string) => {
  const answer = await send(origin + path)
  return { status: answer.status, body: JSON.parse(answer.body) as unknown }
}

describe('Health', () => {
  it('is 200 without a token while all is well (C44)', async () => {
    const { gateway } = await start()
    for (const path of ['/healthz', '/readyz'])
      expect(await get(gateway.origin, path)).toEqual({ status: 200, body: { status: 'ok' } })
  })

  it('is 200 when the service is down; readiness is 503 and names the service (C18, C44)', async () => {
    const { gateway } = await start({ BACKEND_URL: 'http://127.0.0.1:9/v1' })
    expect((await get(gateway.origin, '/healthz')).status).toBe(200)
    expect(await get(gateway.origin, '/readyz')).toEqual({
      status: 503,
      body: { status: 'not ready', not_ready: ['ticket service'] },
    })
  })

  it('names the issuer when it has never been seen (C44)', async () => {
    const desk = await start()
    const gateway = await startGateway({
      ISSUER: 'http://127.0.0.1:9/identity',
      CLIENT_SECRET: 'x'.repeat(32),
      BACKEND_URL: desk.backend.url,
    })
    expect((await get(gateway.origin, '/healthz')).status).toBe(200)
    expect(await get(gateway.origin, '/readyz')).toEqual({
      status: 503,
      body: { status: 'not ready', not_ready: ['issuer'] },
    })
    await gateway.close()
  })
})

describe.each(ERAS)('A stop during a call by %s', (_era, era) => {
  it('lets the call end well, refuses new connections, and is done soon (C45)', async () => {
    const { gateway, backend, tokens } = await start()
    const arrived = new Promise<() => void>((resolve) => {
      backend.answer((_asked, res) => {
        resolve(() => {
          json(res, 200, TICKET_DETAIL)
        })
      })
    })
    const { headers, body } = toolCall(era, 'ticket_get', { id: 'T-42' })
    const call = gateway.post(body, tokens.alice, headers)
    const answer = await arrived
    const stopped = gateway.gateway.stop()
    // What has connected is taken in first; client and server share one event loop here.
    await sleep(100)
    await expect(gateway.post(message2025('ping').body, tokens.alice)).rejects.toThrow()
    answer()
    const response = await call
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ result: { structuredContent: TICKET_DETAIL } })
    const start_ms = performance.now()
    await stopped
    expect(performance.now() - start_ms).toBeLessThan(3_000)
  })
})

describe('A stop', () => {
  it('is not held up by connections that are kept alive', async () => {
    const { gateway, tokens } = await start()
    await (await gateway.post(message2025('ping').body, tokens.alice)).text()
    const start_ms = performance.now()
    await gateway.gateway.stop()
    expect(performance.now() - start_ms).toBeLessThan(3_000)
  })
})
