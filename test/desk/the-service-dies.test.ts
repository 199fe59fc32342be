import { afterAll, beforeAll, expect, it } from 'vitest'
import { query } from '../support/database.ts'
import { startDesk, type Desk } from '../support/desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { callerOf, type CallTool } from '../support/mcp-calls.ts'

let desk: Desk
let token: string
let alice: CallTool
beforeAll(async () => {
  desk = await startDesk()
  token = await desk.token('alice')
  alice = callerOf(desk.url, token)
})
afterAll(() => desk.close())

it('kill -9 during 200 writes: every write that was answered is there after a restart, and none is half there', async () => {
  const subjects = Array.from({ length: 200 }, (_, index) => `Written ${index}`)
  const results = subjects.map((subject) =>
    alice('ticket_create', { subject, body: 'Quickly.', idempotency_key: subject.replace(' ', '-') }),
  )
  // Killed in the middle: when a quarter has been answered.
  const answered = { count: 0 }
  await new Promise<void>((resolve) => {
    for (const result of results)
      void result.then(({ isError }) => {
        if (!isError && ++answered.count === 50) resolve()
      })
  })
  await desk.service.kill('SIGKILL')
  const outcomes = await Promise.all(results)
  await desk.service.start()
  await untilServed()

  const kept = outcomes.flatMap(({ structuredContent }) =>
    structuredContent ? [(structuredContent as { ticket: { id: string; subject: string } }).ticket] : [],
  )
  expect(kept.length).toBeGreaterThanOrEqual(50)
  expect(kept.length).toBeLessThan(200)
  const read = await Promise.all(kept.map(({ id }) => alice('ticket_get', { id })))
  expect(
    read.map((result) => (result.structuredContent as { ticket: { subject: string } }).ticket.subject),
  ).toEqual(kept.map(({ subject }) => subject))
  const failed = outcomes.filter(({ isError }) => isError).map((result) => errorOf(result).class)
  expect(new Set(['outcome_unknown', 'backend_unavailable', ...failed]).size).toBe(2)

  // Repeating all with their keys completes the set: what had been written is not written again.
  const repeated = await Promise.all(
    subjects.map((subject) =>
      alice('ticket_create', { subject, body: 'Quickly.', idempotency_key: subject.replace(' ', '-') }),
    ),
  )
  expect(repeated.filter(({ isError }) => isError)).toEqual([])
  expect((await alice('tickets_search', { limit: 1 })).structuredContent).toMatchObject({ total: 200 })
  const [count] = query(
    desk.environment.databasePath,
    `select
       (select count(*) from tickets) as tickets,
       (select count(distinct ticket_id) from events) as events,
       (select count(*) from idempotency_keys where answer is not null) as answers,
       (select count(distinct ticket_id) from search_documents) as searchable`,
  )
  expect(count).toEqual({ tickets: 200, events: 200, answers: 200, searchable: 200 })
})

it('calls fail with backend_unavailable while it is down, lists and health still answer (C18, C44)', async () => {
  await desk.service.kill('SIGTERM')
  const read = await alice('ticket_get', { id: 'T-1' })
  expect(errorOf(read)).toMatchObject({ class: 'backend_unavailable', retryable: true })
  expect(textOf(read)).toMatch(/^\[backend_unavailable\] .*\n.*try again/)
  const write = await alice('ticket_create', { subject: 'Lost', body: 'Or not.' })
  expect(errorOf(write).class).toBe('backend_unavailable')
  expect(textOf(write)).toContain('Nothing was changed.')

  const health = await fetch(new URL('/healthz', desk.url))
  const ready = await fetch(new URL('/readyz', desk.url))
  expect([health.status, ready.status]).toEqual([200, 503])
  expect(await ready.json()).toMatchObject({ not_ready: ['ticket service'] })
  const list = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(((await list.json()) as { result: { tools: unknown[] } }).result.tools).toHaveLength(8)
  await desk.service.start()
  await untilServed()
})

/** The gateway's breaker needs a moment to see that the service is back; it must do so by itself. */
async function untilServed(): Promise<void> {
  await expect
    .poll(async () => (await alice('tickets_search', { limit: 1 })).isError, { timeout: 10_000 })
    .toBeUndefined()
}
