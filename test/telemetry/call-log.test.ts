// The one line of a tool call: it answers who, what, which ticket, how it ended and where the time went.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { startGateway } from '../support/gateway.ts'
import {
  GATEWAY,
  GATEWAY_SECRET,
  PASSWORD,
  startIdentity,
  type RunningIdentity,
} from '../support/identity.ts'
import { message2025, toolCall } from '../support/messages.ts'
import {
  json,
  problem,
  startScriptedBackend,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { signIn } from '../support/sign-in.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'

let identity: RunningIdentity
let backend: ScriptedBackend
let gateway: GatewayProcess
let token: string
beforeAll(async () => {
  identity = await startIdentity()
  backend = await startScriptedBackend()
  const origins = { issuer: identity.issuer, backend: backend.url }
  gateway = await startGatewayProcess(origins, {
    LOG_LEVEL: 'info',
    AUDIT_FILE: 'stderr',
    MAX_CALLS_IN_FLIGHT_PER_CLIENT: '1',
  })
  const request = { issuer: identity.issuer, resource: GATEWAY, person: 'alice', password: PASSWORD }
  token = (await signIn(request)).accessToken
})
afterAll(async () => {
  await gateway.kill('SIGKILL')
  await backend.close()
  await identity.close()
})

type Line = Readonly<Record<string, unknown>>

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
const callLines = () => linesOf(gateway.logged()).filter(({ msg }) => msg === 'tool call')

async function call(requestId: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-request-id': requestId,
      ...headers,
    },
    body: JSON.stringify(toolCall(message2025, 'ticket_get', { id: 'T-42' }).body),
  })
  await response.text()
}

describe('A tool call', () => {
  it('leaves one line with who, what, how it ended, and where the time went', async () => {
    let failures = 1
    backend.answer((_asked, res) => {
      setTimeout(() => {
        json(res, failures-- > 0 ? 502 : 200, TICKET_DETAIL)
      }, 50)
    })
    await call('request-one', { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` })
    const lines = callLines().filter(({ request_id }) => request_id === 'request-one')
    expect(lines).toHaveLength(1)
    const [line] = lines
    expect(line).toMatchObject({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      service: 'gateway',
      trace_id: TRACE_ID,
      client: expect.any(String) as string,
      user: 'alice',
      tool: 'acme_desk__ticket_get',
      ticket: 'T-42',
      status: 200,
      attempts: 2,
      bytes: 2 * JSON.stringify(TICKET_DETAIL).length,
    })
    expect(line?.['backend_ms']).toBeGreaterThanOrEqual(95)
    expect(line?.['exchange_ms']).toBeGreaterThan(0)
    expect(line?.['ms']).toBeGreaterThan(Number(line?.['backend_ms']) + Number(line?.['exchange_ms']))
    expect(line).toHaveProperty('queue_ms')
  })

  it('that fails says with which class, and its audit line stands apart on the same stream', async () => {
    backend.answer((_asked, res) => {
      problem(res, 404, 'not_found')
    })
    await call('request-two')
    const [line] = callLines().filter(({ request_id }) => request_id === 'request-two')
    expect(line).toMatchObject({ class: 'not_found', code: 'not_found', status: 404, attempts: 1 })
    const audit = linesOf(gateway.logged()).filter((candidate) => 'audit' in candidate)
    expect(audit.map(({ request_id }) => request_id)).toEqual(['request-one', 'request-two'])
  })

  it('that gets no answer says what the connection broke with', async () => {
    backend.answer((_asked, res) => res.destroy())
    await call('request-three')
    const [line] = callLines().filter(({ request_id }) => request_id === 'request-three')
    expect(line).toMatchObject({ class: 'backend_unavailable', cause: 'UND_ERR_SOCKET' })
    expect(line).not.toHaveProperty('status')
  })

  it('waits for its turn in queue_ms', async () => {
    backend.answer((_asked, res) => {
      setTimeout(() => {
        json(res, 200, TICKET_DETAIL)
      }, 300)
    })
    await Promise.all([call('queue-one'), call('queue-two')])
    const waits = callLines()
      .filter(({ request_id }) => String(request_id).startsWith('queue-'))
      .map(({ queue_ms }) => Number(queue_ms))
    expect(Math.min(...waits)).toBeLessThan(50)
    expect(Math.max(...waits)).toBeGreaterThan(100)
  })
})

describe('SIGUSR2', () => {
  it('switches the log between its level and debug while the process runs', async () => {
    const debugLines = () => linesOf(gateway.logged()).filter(({ level }) => level === 20).length
    const provoke = () => fetch(gateway.url.replace('/mcp', '/readyz'))
    const switched = (level: string) =>
      expect
        .poll(() => linesOf(gateway.logged()).filter(({ log_level }) => log_level === level))
        .toHaveLength(1)
    void gateway.kill('SIGUSR2')
    await switched('debug')
    await call('debug-one', { 'mcp-protocol-version': 'nonsense' })
    await expect.poll(debugLines).toBeGreaterThan(0)
    void gateway.kill('SIGUSR2')
    await switched('info')
    const before = debugLines()
    await call('debug-two', { 'mcp-protocol-version': 'nonsense' })
    await provoke()
    await sleep(100)
    expect(debugLines()).toBe(before)
  })
})

it('A line stays short, however long what a client chose is', async () => {
  const talkative = await startGateway({ ISSUER: identity.issuer, CLIENT_SECRET: GATEWAY_SECRET })
  const version = { 'mcp-protocol-version': 'nonsense'.repeat(1_000) }
  const refused = await talkative.post(message2025('tools/list').body, token, version)
  expect(refused.status).toBe(400)
  const lines = talkative.logged().split('\n')
  expect(lines.filter((line) => line.includes('nonsense'))).not.toEqual([])
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000)
  await talkative.close()
})
