import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import type { CallRecord } from '../../src/tools/call-record.ts'
import { changesOf, readSeries } from '../support/series.ts'

const TOOL = 'acme_desk__ticket_get'
const start = () => createMetrics([TOOL])

function record(change: Partial<CallRecord> & { clientId?: string } = {}): CallRecord {
  const { clientId = 'some-agent', ...rest } = change
  return {
    requestId: 'request-1',
    tool: TOOL,
    operation: 'getTicket',
    isWrite: false,
    caller: {
      subject: 'alice',
      clientId,
      actor: undefined,
      scopes: new Set(),
      roles: [],
      name: undefined,
      token: 't',
      expiresAt: 2e9,
    },
    ticketId: undefined,
    arguments: {},
    message: undefined,
    errorClass: undefined,
    errorCode: undefined,
    removedCharacters: 0,
    drifted: false,
    traceId: undefined,
    seconds: 0.004,
    spent: {
      queueMs: 0,
      exchangeMs: 0,
      backendMs: 4,
      attempts: 1,
      status: 200,
      cause: undefined,
      bytes: 600,
    },
    ...rest,
  }
}

describe('before traffic', () => {
  it('there is a series of everything that can happen, at 0', async () => {
    const series = await readSeries(start())
    const names = new Set([...series.keys()].map((name) => name.replace(/\{.*/, '')))
    for (const name of [
      'mcp_server_operation_duration_seconds_count',
      'http_server_request_duration_seconds_count',
      'desk_gateway_failures_total',
      'desk_gateway_rejections_total',
      'desk_gateway_rate_limit_decisions_total',
      'desk_gateway_client_calls_total',
      'desk_gateway_calls_in_flight',
      'desk_gateway_calls_waiting',
      'desk_gateway_queue_wait_seconds_count',
      'desk_gateway_backend_request_duration_seconds_count',
      'desk_gateway_backend_retries_total',
      'desk_gateway_breaker_open',
      'desk_gateway_breaker_opened_total',
      'desk_gateway_exchange_duration_seconds_count',
      'desk_gateway_exchange_cache_total',
      'desk_gateway_token_verifications_total',
      'desk_gateway_cache_entries',
      'desk_gateway_backend_drift_total',
      'desk_gateway_removed_characters_total',
      'desk_gateway_open_streams',
      'desk_gateway_strangers_refused_total',
      'desk_gateway_audit_lines_total',
    ])
      expect(names, name).toContain(name)
    expect(new Set(series.values())).toEqual(new Set([0]))
  })

  it('nothing is said of limits that are not meant to be shared', async () => {
    const metrics = start()
    expect((await readSeries(metrics)).has('desk_gateway_limits_shared')).toBe(false)
    metrics.limitsShared(false)
    expect((await readSeries(metrics)).get('desk_gateway_limits_shared')).toBe(0)
  })
})

describe('a series', () => {
  it('of durations carries the trace of a traced call as the exemplar of its bucket, and of no other', async () => {
    const metrics = start()
    const traceId = randomBytes(16).toString('hex')
    metrics.observe(record({ traceId }))
    metrics.observe(record({ seconds: 3 }))
    const traced = (await metrics.registry.metrics()).split('\n').filter((line) => line.includes(traceId))
    expect(traced).toEqual([
      expect.stringMatching(
        /^mcp_server_operation_duration_seconds_bucket\{le="0\.005".*\} 1 # \{trace_id="[0-9a-f]{32}"\} 0\.004 \d+\.?\d*$/,
      ),
    ])
  })

  it('of decisions is for the classes of limits that the operator lists, the first twenty', async () => {
    const metrics = start()
    metrics.listLimitClasses(Array.from({ length: 30 }, (_, index) => `class-${index}`))
    const before = await readSeries(metrics)
    for (const limitClass of ['configuration', 'class-18', 'class-19'])
      metrics.limitDecision(limitClass, 'reads', 'soft')
    const decided = (limitClass: string) =>
      `desk_gateway_rate_limit_decisions_total{limit_class="${limitClass}",budget="reads",decision="soft"}`
    expect(changesOf(before, await readSeries(metrics))).toEqual({
      [decided('configuration')]: 1,
      [decided('class-18')]: 1,
      [decided('other')]: 1,
    })
  })

  it('of clients is for those that the operator lists, the first fifty', async () => {
    const metrics = start()
    metrics.listClients(['bot-0', 'bot-1'])
    metrics.listClients(Array.from({ length: 60 }, (_, index) => `bot-${index}`))
    const before = await readSeries(metrics)
    for (const clientId of ['bot-0', 'bot-49', 'bot-50', 'stranger']) metrics.observe(record({ clientId }))
    metrics.overCeiling(TOOL, 'bot-1')
    const calls = Object.entries(changesOf(before, await readSeries(metrics))).filter(([series]) =>
      series.startsWith('desk_gateway_client_calls_total'),
    )
    expect(Object.fromEntries(calls)).toEqual({
      'desk_gateway_client_calls_total{client="bot-0",outcome="ok"}': 1,
      'desk_gateway_client_calls_total{client="bot-49",outcome="ok"}': 1,
      'desk_gateway_client_calls_total{client="other",outcome="ok"}': 2,
      'desk_gateway_client_calls_total{client="bot-1",outcome="limited"}': 1,
    })
  })

  it('of openings does not count the trials of a breaker that is open', async () => {
    const metrics = start()
    for (const open of [true, true, false, true]) metrics.breakerOpen(open)
    const series = await readSeries(metrics)
    expect(series.get('desk_gateway_breaker_opened_total')).toBe(2)
    expect(series.get('desk_gateway_breaker_open')).toBe(1)
  })

  it('of levels is read when it is asked for', async () => {
    const metrics = start()
    let running = 0
    metrics.watch({ saturation: () => ({ running, waiting: 3 }) })
    metrics.watch({ cacheEntries: () => ({ tokens: 5, credentials: 4 }) })
    running = 7
    const series = await readSeries(metrics)
    expect(series.get('desk_gateway_calls_in_flight')).toBe(7)
    expect(series.get('desk_gateway_calls_waiting')).toBe(3)
    expect(series.get('desk_gateway_cache_entries{cache="credentials"}')).toBe(4)
  })
})

it('10,000 events with values that nobody foresaw make a handful of series', async () => {
  const metrics = start()
  const before = await readSeries(metrics)
  for (let event = 0; event < 10_000; event++) {
    const random = randomUUID()
    metrics.observe(record({ tool: random, clientId: random, errorClass: 'internal', errorCode: random }))
    metrics.operation(random, random, 0.1)
    metrics.overCeiling(random, random)
    metrics.rejected(random, random)
    metrics.queued(random, 0.1)
    metrics.backendAttempt(random, random, 0.1)
    metrics.retried(random)
    metrics.request({ method: random, route: random, status: event, seconds: 0.1 })
  }
  const added = [...(await readSeries(metrics)).keys()].filter((series) => !before.has(series))
  // A request for each of the fifteen statuses that are told apart, a wait, an attempt and an operation.
  expect(added.filter((series) => /_count\{/.test(series))).toHaveLength(18)
  expect(added.filter((series) => !/_(bucket|sum|count)\{/.test(series))).toEqual([
    'desk_gateway_backend_retries_total{operation="other"}',
  ])
})
