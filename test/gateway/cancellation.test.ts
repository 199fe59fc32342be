// A client that goes away stops the work: the request to the service is aborted, and nothing is left behind.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hang } from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { GATEWAY_AUDIENCE, startGateway } from '../support/gateway.ts'
import { ERAS, message2025, toolCall, type Message } from '../support/messages.ts'
import { json, TICKET_DETAIL, type Asked } from '../support/scripted-backend.ts'
import { startTestIssuer } from '../support/test-issuer.ts'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
})
afterAll(() => desk.close())
beforeEach(() => {
  desk.backend.asked.length = 0
})

/** Sends the message, waits until the service has it, leaves, and says how long the service was kept in milliseconds. */
async function leaveDuring(message: Message): Promise<number> {
  const arrived = new Promise<Asked>((resolve) => {
    desk.backend.answer(resolve)
  })
  const leave = new AbortController()
  const left = fetch(desk.gateway.url, {
    method: 'POST',
    headers: { ...message.headers, authorization: `Bearer ${desk.tokens.alice}` },
    body: JSON.stringify(message.body),
    signal: leave.signal,
  }).catch((error: unknown) => (error as Error).name)
  const { aborted } = await arrived
  const start = performance.now()
  leave.abort()
  expect(await left).toBe('AbortError')
  await aborted
  return performance.now() - start
}

describe.each(ERAS)('A client of %s that closes its connection', (_era, era) => {
  it.each([
    ['a slow read', toolCall(era, 'ticket_get', { id: 'T-42' })],
    ['a slow write', toolCall(era, 'ticket_reopen', { id: 'T-42' })],
    ['a slow resource', era('resources/read', { uri: 'desk://policy' })],
  ])('during %s ends the request to the service within a second (C19)', async (_case, message) => {
    expect(await leaveDuring(message)).toBeLessThan(1_000)
  })
})

describe.each(ERAS)('A client of %s that leaves while its token is checked', (_era, era) => {
  it('has not begun anything', async () => {
    const issuer = await startTestIssuer(150)
    const gateway = await startGateway({ ISSUER: issuer.issuer, CLIENT_SECRET: 'x'.repeat(32) })
    const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:write' })
    const { headers, body } = toolCall(era, 'ticket_reopen', { id: 'T-42' })
    const init = { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` } }
    const call = fetch(gateway.url, { ...init, body: JSON.stringify(body), signal: AbortSignal.timeout(100) })
    await expect(call).rejects.toThrow()
    // The next call with this token waits for the same check and the same exchange, and comes out after it.
    await gateway.post(body, token, headers)
    expect(gateway.logged().match(/"tool call"/g)).toHaveLength(1)
    await gateway.close()
    await issuer.close()
  })
})

describe('After clients have gone', () => {
  it('the next one is served, and no error is logged', async () => {
    for (let round = 0; round < 5; round++)
      await leaveDuring(toolCall(message2025, 'ticket_get', { id: 'T-42' }))
    desk.backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    })
    const result = await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
    expect(result.structuredContent).toEqual(TICKET_DETAIL)
    expect(desk.gateway.logged()).not.toMatch(/"level":(50|60)/)
  })
})

describe('A resource', () => {
  const READ = message2025('resources/read', { uri: 'desk://policy' })
  const read = async () =>
    (await (await desk.gateway.post(READ.body, desk.tokens.alice)).json()) as {
      error?: { code: number; message: string }
    }

  it('that the service does not give in time is an error, and no endless wait', async () => {
    desk.backend.answer(hang)
    expect((await read()).error?.message).toBe('desk://policy cannot be had at the moment. Try again later.')
  }, 10_000)

  it('is the text of the service and never the page of a proxy', async () => {
    desk.backend.answer((_asked, res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
    )
    const { error } = await read()
    expect(error?.code).toBe(-32603)
    expect(JSON.stringify(error)).not.toContain('<')
  })
})
