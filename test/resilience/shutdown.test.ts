// How processes end: SIGTERM lets what has connected finish, a second signal does not wait, a crash drains and says so.
import diagnostics from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { send } from '../support/raw-http.ts'
import { GATEWAY, PASSWORD, startIdentity, type RunningIdentity } from '../support/identity.ts'
import { message2025, toolCall } from '../support/messages.ts'
import {
  json,
  startScriptedBackend,
  TICKET,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { exitOf, spawnService } from '../support/service-process.ts'
import { signIn } from '../support/sign-in.ts'

/** Throws where nothing catches it, when the process is told to. */
const CRASHER = `--import data:text/javascript,process.on('SIGWINCH',()=>{throw%20new%20Error('crashed')})`
const CALLERS = 64
const GRACE_MS = 10_000

let identity: RunningIdentity
let backend: ScriptedBackend
let gateway: GatewayProcess
let token: string
beforeAll(async () => {
  identity = await startIdentity()
  backend = await startScriptedBackend()
  const request = { issuer: identity.issuer, resource: GATEWAY, person: 'alice', password: PASSWORD }
  token = (await signIn(request)).accessToken
})
afterAll(async () => {
  await backend.close()
  await identity.close()
})
beforeEach(async () => {
  const origins = { issuer: identity.issuer, backend: backend.url }
  gateway = await startGatewayProcess(origins, { NODE_OPTIONS: CRASHER, LIMIT_READS_PER_MINUTE: '1000000' })
  backend.asked.length = 0
})
afterEach(() => gateway.kill('SIGKILL'))

function read(id: string): Promise<Response> {
  return fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(toolCall(message2025, 'ticket_get', { id }).body),
  })
}

/** Answers each read with its own ticket after so many milliseconds. */
function answerAfter(ms: () => number): void {
  backend.answer(({ url }, res) => {
    const id = url.split('/').at(-1)
    setTimeout(() => {
      json(res, 200, { ...TICKET_DETAIL, ticket: { ...TICKET, id } })
    }, ms())
  })
}

const codeOf = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code

describe('SIGTERM', () => {
  it(`under the load of ${CALLERS} callers loses no call: each is answered or could not connect`, async () => {
    answerAfter(() => 5 + Math.random() * 60)
    const answered = new Set<string>()
    const refused: unknown[] = []
    const caller = async (name: number) => {
      for (let call = 1; ; call++) {
        const id = `T-${name * 100_000 + call}`
        try {
          const response = await read(id)
          const text = await response.text()
          expect(text).toContain(`"structuredContent":{"ticket":{"id":"${id}"`)
          answered.add(id)
        } catch (error) {
          refused.push(codeOf(error))
          return
        }
      }
    }
    const callers = Array.from({ length: CALLERS }, (_, index) => caller(index + 1))
    while (answered.size < CALLERS * 3) await sleep(10)
    const start = performance.now()
    expect(await gateway.kill('SIGTERM')).toBe(0)
    expect(performance.now() - start).toBeLessThan(GRACE_MS)
    await Promise.all(callers)
    expect(refused).toEqual(Array(CALLERS).fill('ECONNREFUSED'))
    const reached = backend.asked.map(({ url }) => url.split('/').at(-1) ?? '')
    expect(reached.filter((id) => !answered.has(id))).toEqual([])
  }, 40_000)

  it('finds connections that wait to be accepted, and answers their calls', async () => {
    answerAfter(() => 5)
    let connected = 0
    const count = () => {
      connected++
    }
    diagnostics.subscribe('undici:client:connected', count)
    // The kernel connects while the process stands still.
    process.kill(gateway.pid(), 'SIGSTOP')
    const calls = Array.from({ length: CALLERS }, (_, index) =>
      read(`T-${index + 1}`).then((response) => response.status, codeOf),
    )
    await expect.poll(() => connected).toBe(CALLERS)
    diagnostics.unsubscribe('undici:client:connected', count)
    const exited = gateway.kill('SIGTERM')
    process.kill(gateway.pid(), 'SIGCONT')
    expect(await Promise.all(calls)).toEqual(Array(CALLERS).fill(200))
    expect(await exited).toBe(0)
  })

  it('one second into a two-second call lets the call end well (C45)', async () => {
    answerAfter(() => 2_000)
    const call = read('T-42')
    await sleep(1_000)
    const exited = gateway.kill('SIGTERM')
    await sleep(100)
    await expect(send(gateway.url)).rejects.toThrow('ECONNREFUSED')
    const response = await call
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.text()).toContain('"id":"T-42"')
    expect(await exited).toBe(0)
  })

  it('twice ends at once', async () => {
    answerAfter(() => 60_000)
    const call = read('T-42').catch(codeOf)
    await expect.poll(() => backend.asked.length).toBe(1)
    const exited = gateway.kill('SIGTERM')
    await sleep(200)
    const start = performance.now()
    void gateway.kill('SIGTERM')
    expect(await exited).toBe(1)
    expect(performance.now() - start).toBeLessThan(2_000)
    expect(await call).toMatch(/UND_ERR_SOCKET|ECONNRESET/)
  })
})

describe('A fault that nothing caught', () => {
  it('in the gateway is logged, lets calls in flight end well, and exits 1', async () => {
    answerAfter(() => 1_000)
    const call = read('T-42')
    await expect.poll(() => backend.asked.length).toBe(1)
    expect(await gateway.kill('SIGWINCH')).toBe(1)
    expect(await (await call).text()).toContain('"id":"T-42"')
    expect(gateway.logged()).toMatch(/"level":60.*crashed/)
  })

  it('in the ticket service is logged, and exits 1; a second signal does not wait there either', async () => {
    const environment = { ISSUER: identity.issuer, DATABASE_PATH: ':memory:', NODE_OPTIONS: CRASHER }
    const crashing = await spawnService(environment)
    crashing.child.kill('SIGWINCH')
    expect(await exitOf(crashing.child)).toBe(1)
    expect(crashing.log()).toMatch(/"level":60.*crashed/)

    const held = await spawnService(environment)
    const { origin } = new URL(held.url)
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{'))
      },
    })
    const call = fetch(`${origin}/v1/tickets`, { method: 'POST', body, duplex: 'half' })
    call.catch(() => undefined)
    await sleep(300)
    held.child.kill('SIGTERM')
    await sleep(200)
    const start = performance.now()
    held.child.kill('SIGTERM')
    expect(await exitOf(held.child)).not.toBe(null)
    expect(performance.now() - start).toBeLessThan(2_000)
  })
})
