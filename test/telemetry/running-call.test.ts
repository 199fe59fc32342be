import { expect, it } from 'vitest'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { createOpenCall } from '../../src/telemetry/running-call.ts'
import { passOn, type Attributes } from '../../src/telemetry/tracing.ts'
import type { CallRecord } from '../../src/tools/call-record.ts'

const CALLER = {
  subject: 'alice',
  clientId: 'client',
  actor: undefined,
  scopes: new Set<string>(),
  roles: [],
  name: undefined,
  token: '',
  expiresAt: 0,
}
const START = {
  requestId: 'request-1',
  tool: 'acme_desk__ticket_get',
  operation: 'getTicket',
  isWrite: false,
  caller: CALLER,
  ticketId: undefined,
  arguments: {},
  message: undefined,
}
const ENDING = {
  ticketId: undefined,
  errorClass: 'backend_unavailable',
  errorCode: 'not_reached',
  removedCharacters: 0,
  drifted: false,
} as const

it('a call that ends in the middle of a part says how long that part took until then, and no longer', () => {
  let clock = 0
  const records: CallRecord[] = []
  const openCall = createOpenCall({
    tracing: passOn,
    metrics: createMetrics([]),
    serverAddress: 'service',
    now: () => clock,
    onWrite: () => true,
    onEnd: (record) => records.push(structuredClone(record)),
  })
  const call = openCall(START)
  const queue = call.begin('queue')
  clock += 30
  queue.end('entered')
  const exchange = call.begin('exchange')
  clock += 700
  call.end(ENDING)
  clock += 2_000
  exchange.end('issuer_unavailable')
  expect(records).toMatchObject([
    { seconds: 0.73, spent: { queueMs: 30, exchangeMs: 700, backendMs: 0, attempts: 0 } },
  ])
})

it('what a client chose is cut short before a span keeps it', () => {
  const started: Attributes[] = []
  const openCall = createOpenCall({
    tracing: {
      ...passOn,
      start: (_name, _parent, attributes) => {
        started.push(attributes)
        return undefined
      },
    },
    metrics: createMetrics([]),
    serverAddress: 'service',
    now: () => 0,
    onWrite: () => true,
    onEnd: () => undefined,
  })
  const long = 'x'.repeat(200_000)
  openCall({ ...START, message: { id: long, meta: {}, headers: { 'mcp-protocol-version': long } } })
  openCall({ ...START, message: { id: 17, meta: {}, headers: {} } })
  expect(started).toMatchObject([
    { 'jsonrpc.request.id': 'x'.repeat(64), 'mcp.protocol.version': 'x'.repeat(64) },
    { 'jsonrpc.request.id': '17', 'mcp.protocol.version': undefined },
  ])
})
