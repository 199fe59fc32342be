// Each fault of the service, by kind of call: what the model is told, how often the service was asked, and how soon.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as faults from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf, type CallResult } from '../support/gateway.ts'
import { json, problem, TICKET, TICKET_DETAIL } from '../support/scripted-backend.ts'

const DEADLINE_MS = 1_000
/** Two waits with jitter of at most 100 and 200 ms, and a busy machine. */
const RETRIED_MS = 1_000
const AT_ONCE_MS = 500

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({ CALL_TIMEOUT_MS: String(DEADLINE_MS), LIMIT_READS_PER_MINUTE: '1000000' })
})
afterAll(() => desk.close())
// So many successes also earn what the retries of one call cost.
beforeEach(() => desk.heal())

const KINDS = [
  ['a read', 'ticket_get', { id: 'T-42' }],
  ['a write with a key', 'ticket_reopen', { id: 'T-42', idempotency_key: 'k-1' }],
  ['a write without a key', 'ticket_reopen', { id: 'T-42' }],
] as const

interface Row {
  readonly read: string
  readonly write: string
  readonly requests: number
  readonly withinMs: number
}
const same = (name: string, requests: number, withinMs: number): Row => ({
  read: name,
  write: name,
  requests,
  withinMs,
})
const unknown = (requests: number, withinMs: number): Row => ({
  read: 'backend_unavailable',
  write: 'outcome_unknown',
  requests,
  withinMs,
})

const withRetryAfter =
  (status: number, value: string): faults.Script =>
  (_asked, res) => {
    res.setHeader('Retry-After', value)
    problem(res, status, 'unavailable')
  }
const inThirtySeconds = () => new Date(Date.now() + 30_000).toUTCString()

const TABLE: readonly (readonly [string, faults.Script, Row])[] = [
  ['a reset before the answer', faults.reset, unknown(3, RETRIED_MS)],
  ['a reset in the middle', faults.resetAfterHalf, unknown(3, RETRIED_MS)],
  ['half of the promised length', faults.closeBeforeTheEnd, unknown(3, RETRIED_MS)],
  ['something that is not HTTP', faults.noHttp, unknown(3, RETRIED_MS)],
  ['silence (C16)', faults.hang, unknown(1, DEADLINE_MS + AT_ONCE_MS)],
  ['dripping bytes', faults.drip, unknown(1, DEADLINE_MS + AT_ONCE_MS)],
  ['500', faults.withProblem(500), unknown(1, AT_ONCE_MS)],
  ['502 of a proxy (C12)', faults.withHtml(502), same('backend_unavailable', 3, RETRIED_MS)],
  ['503', faults.withProblem(503), same('backend_unavailable', 3, RETRIED_MS)],
  ['503 with 20 s (C13)', withRetryAfter(503, '20'), same('backend_unavailable', 1, AT_ONCE_MS)],
  ['503 with -1 s', withRetryAfter(503, '-1'), same('backend_unavailable', 3, RETRIED_MS)],
  ['504', faults.withHtml(504), unknown(3, RETRIED_MS)],
  ['524 (C12)', faults.withHtml(524), unknown(1, AT_ONCE_MS)],
  ['429', faults.withProblem(429), same('rate_limited', 1, AT_ONCE_MS)],
  ['429 with 3600 s (C03)', withRetryAfter(429, '3600'), same('rate_limited', 1, AT_ONCE_MS)],
  ['429 with 0 s', withRetryAfter(429, '0'), same('rate_limited', 1, AT_ONCE_MS)],
  ['429 with nonsense', withRetryAfter(429, 'soon'), same('rate_limited', 1, AT_ONCE_MS)],
  [
    '429 with a date (C02)',
    (asked, res) => {
      withRetryAfter(429, inThirtySeconds())(asked, res)
    },
    same('rate_limited', 1, AT_ONCE_MS),
  ],
  ['401 (C10)', faults.withProblem(401), same('backend_unavailable', 2, AT_ONCE_MS)],
  ['403', faults.withProblem(403), same('forbidden', 1, AT_ONCE_MS)],
  ['404', faults.withProblem(404), same('not_found', 1, AT_ONCE_MS)],
  ['409 (C09)', faults.withProblem(409), same('conflict', 1, AT_ONCE_MS)],
  ['422 (C11)', faults.withProblem(422), same('invalid_arguments', 1, AT_ONCE_MS)],
  ['302 (C15)', faults.redirect(302, 'http://169.254.169.254/'), same('bad_backend_reply', 1, AT_ONCE_MS)],
  [
    'HTML as success',
    faults.ok('<html>', { 'content-type': 'text/html' }),
    same('bad_backend_reply', 1, AT_ONCE_MS),
  ],
  ['204 (C14)', faults.withNothing(204), same('bad_backend_reply', 1, AT_ONCE_MS)],
  ['cut JSON', faults.ok('{"ticket":{'), same('bad_backend_reply', 1, AT_ONCE_MS)],
  ['gzip', faults.gzipped, same('bad_backend_reply', 1, AT_ONCE_MS)],
  ['3 MiB', faults.tooLarge, same('bad_backend_reply', 1, AT_ONCE_MS)],
]

describe.each(TABLE)('%s', (_fault, script, row) => {
  it.each(KINDS)('to %s', async (_kind, tool, args) => {
    desk.backend.answer(script)
    const start = performance.now()
    const result = await desk.gateway.call(tool, args, desk.tokens.alice)
    expect(performance.now() - start).toBeLessThan(row.withinMs)
    expect(errorOf(result).class).toBe(tool === 'ticket_get' ? row.read : row.write)
    expect(desk.backend.asked).toHaveLength(row.requests)
    const keys = new Set(desk.backend.asked.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBe(1)
    if ('idempotency_key' in args) expect([...keys]).toEqual(['k-1'])
  })
})

/** Answers one request after the other as each of the scripts says. */
function inTurn(...scripts: faults.Script[]): faults.Script {
  const rest = [...scripts]
  return (asked, res) => rest.shift()?.(asked, res)
}
const done: faults.Script = (_asked, res) => {
  json(res, 200, TICKET)
}
const reopen = (): Promise<CallResult> =>
  desk.gateway.call('ticket_reopen', { id: 'T-42' }, desk.tokens.alice)

describe('A write that is repeated', () => {
  it('goes out with the same key and succeeds when the service does', async () => {
    desk.backend.answer(inTurn(faults.reset, done))
    expect((await reopen()).structuredContent).toEqual(TICKET)
    const [first, second] = desk.backend.asked.map(({ headers }) => headers['idempotency-key'])
    expect(first).toBeTruthy()
    expect(second).toBe(first)
  })

  it.each([
    ['is refused for now', withRetryAfter(503, '20')],
    ['is over a limit', withRetryAfter(429, '20')],
    ['finds its token refused', faults.withProblem(401)],
  ])('stays unknown when it was lost and the repeat %s', async (_how, second) => {
    desk.backend.answer(inTurn(faults.reset, second, second, second))
    const result = await reopen()
    expect(errorOf(result)).toMatchObject({ class: 'outcome_unknown', code: 'connection' })
    expect(textOf(result)).not.toContain('Nothing was changed')
  })

  it('is settled by a refusal: with its key that one would have been a success', async () => {
    desk.backend.answer(inTurn(faults.reset, faults.withProblem(409)))
    expect(errorOf(await reopen()).class).toBe('conflict')
  })
})

describe('A request', () => {
  it('asks for no encoding, so that an encoded answer is one that nobody asked for', async () => {
    await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
    expect(desk.backend.asked[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('whose answer says that it is not encoded is read', async () => {
    desk.backend.answer(faults.ok(JSON.stringify(TICKET_DETAIL), { 'content-encoding': 'identity' }))
    const result = await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
    expect(result.structuredContent).toEqual(TICKET_DETAIL)
  })
})
