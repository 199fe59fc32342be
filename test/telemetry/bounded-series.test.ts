// Whoever may call may send what they like. None of it may become a series.
import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GATEWAY_AUDIENCE, startGateway, type RunningGateway } from '../support/gateway.ts'
import {
  json,
  startScriptedBackend,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { readSeries } from '../support/series.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

const REQUESTS = 10_000
const AT_ONCE = 32
/** One gateway; a Prometheus takes millions. */
const MAX_SERIES = 2_500

let issuer: TestIssuer
let backend: ScriptedBackend
let gateway: RunningGateway
let pool: Pool
let tokens: string[]
beforeAll(async () => {
  issuer = await startTestIssuer()
  backend = await startScriptedBackend()
  backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  gateway = await startGateway({
    ISSUER: issuer.issuer,
    CLIENT_SECRET: 'x'.repeat(32),
    BACKEND_URL: backend.url,
    ASSERTION_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'g1' }),
    LIMIT_UNAUTHENTICATED_PER_MINUTE: '1000000',
    LOG_LEVEL: 'silent',
  })
  pool = new Pool(gateway.origin, { connections: AT_ONCE })
  const strangeClient = () => {
    const claims = {
      sub: randomUUID(),
      aud: GATEWAY_AUDIENCE,
      client_id: randomUUID(),
      scope: 'tickets:read',
    }
    return issuer.sign(claims)
  }
  tokens = await Promise.all(Array.from({ length: 100 }, strangeClient))
})
afterAll(async () => {
  await pool.destroy()
  await gateway.close()
  await backend.close()
  await issuer.close()
})

type Send = (token: string) => Promise<unknown>
const { host } = new URL(GATEWAY_AUDIENCE)

const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) => {
  const sent = { method, path, headers: { host, 'x-request-id': randomUUID(), ...headers } }
  const answer = await pool.request({ ...sent, body: body === undefined ? null : JSON.stringify(body) })
  await answer.body.dump()
}
const post = (token: string, method: string, params: unknown) =>
  send(
    'POST',
    '/mcp',
    {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'mcp-name': randomUUID(),
      traceparent: `00-${randomUUID().replaceAll('-', '')}-${randomUUID().slice(-12)}0000-01`,
    },
    { jsonrpc: '2.0', id: randomUUID(), method, params },
  )
const call = (token: string, name: string, args: unknown) =>
  post(token, 'tools/call', { name, arguments: args })
const ticketId = () => `T-${Math.floor(Math.random() * 1e9) + 1}`

/** Each with a fixed outcome and random values. */
const SENDERS: readonly Send[] = [
  (token) => call(token, randomUUID(), {}),
  (token) => call(token, 'acme_desk__ticket_get', { id: ticketId() }),
  (token) => call(token, 'acme_desk__ticket_get', { [randomUUID()]: randomUUID() }),
  (token) => post(token, `m/${randomUUID()}`, {}),
  (token) => post(token, 'resources/read', { uri: `desk://${randomUUID()}` }),
  (token) => post(token, 'prompts/get', { name: randomUUID() }),
  () => send('GET', `/${randomUUID()}?${randomUUID()}`, {}),
  () => send('DELETE', `/mcp?${randomUUID()}`, { [`x-${randomUUID()}`]: randomUUID() }),
  () => send('PATCH', `/v1/tickets/${ticketId()}`, {}),
  () => send('POST', '/mcp', { host: `${randomUUID()}.example` }, {}),
  () => send('POST', '/mcp', { authorization: `Bearer ${randomUUID()}` }, {}),
  () => send('GET', '/mcp', { origin: `http://${randomUUID()}.example` }),
]

async function sendAll(requests: number): Promise<void> {
  let sent = 0
  const worker = async () => {
    while (sent < requests) {
      const index = sent++
      await SENDERS[index % SENDERS.length]?.(tokens[index % tokens.length] ?? '')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

it('a method that is no text, and of which no text can be made, counts as other and is no fault of the gateway', async () => {
  const method =
    'mcp_server_operation_duration_seconds_count{mcp_method_name="other",gen_ai_tool_name="",error_type="-32600"}'
  const count = async () => (await readSeries(gateway.gateway.metrics)).get(method) ?? 0
  const before = await count()
  const answer = await gateway.post({ jsonrpc: '2.0', id: 1, method: { toString: 1 } }, tokens[0])
  expect(answer.status).toBe(400)
  await answer.text()
  await expect.poll(count).toBe(before + 1)
})

it(`${REQUESTS} requests with random tools, clients, ids, methods, paths and headers add no series`, async () => {
  await sendAll(SENDERS.length * 4)
  const before = new Set((await readSeries(gateway.gateway.metrics)).keys())
  await sendAll(REQUESTS)
  const after = new Set((await readSeries(gateway.gateway.metrics)).keys())
  expect([...after].filter((series) => !before.has(series))).toEqual([])
  expect(after.size).toBeLessThan(MAX_SERIES)
  process.stdout.write(`Series of a gateway: ${after.size}.\n`)
})
