import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readContract } from '../../backend-api/contract.ts'
import { createMetrics } from '../../backend-api/telemetry/metrics.ts'
import type { CreatedTicket } from '../../openapi/desk.gen.ts'
import { as, clientWith } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { seriesIn, valueOf } from './samples.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
// Of which about a third is Node's and the process's own.
const MAX_SERIES = 900
let service: Service
let carol: DeskClient
let alice: DeskClient
let dave: DeskClient
beforeAll(async () => {
  service = await startService()
  carol = await as(service, 'carol')
  alice = await as(service, 'alice')
  dave = await as(service, 'dave')
})
afterAll(() => service.close())

const scrape = () => service.metrics.registry.metrics()
const value = async (series: string) => valueOf(await scrape(), series)
const body = { subject: 'Printer', body: 'Off.' }

/** How much the series grew while `work` ran; it must have been there before. */
async function growth(series: string, work: () => Promise<unknown>): Promise<number> {
  const before = await value(series)
  expect(before, series).toBeDefined()
  await work()
  return ((await value(series)) ?? NaN) - (before ?? NaN)
}

describe('what happens to the desk is counted once', () => {
  test('changes by type, and a repeat as a replay and no change', async () => {
    const created = 'desk_service_changes_total{type="ticket_created"}'
    const replays = 'desk_service_idempotent_replays_total'
    expect(await growth(created, () => carol.post('/tickets', { body, key: 'same-key-1' }))).toBe(1)
    expect(
      await growth(created, async () => {
        expect(await growth(replays, () => carol.post('/tickets', { body, key: 'same-key-1' }))).toBe(1)
      }),
    ).toBe(0)
    const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
    const close = () => alice.post(`/tickets/${ticket.id}/close`, { body: { resolution: 'Done.' } })
    const closed = 'desk_service_changes_total{type="ticket_closed"}'
    expect(await growth(closed, close)).toBe(1)
    const conflict = 'desk_service_refusals_total{code="wrong_state"}'
    expect(
      await growth(closed, async () => {
        expect(await growth(conflict, close)).toBe(1)
      }),
    ).toBe(0)
  })

  test('refusals by code, whichever step refuses', async () => {
    const anonymous = clientWith(service.url, {})
    const refusals: [string, () => Promise<unknown>][] = [
      ['unauthenticated', () => anonymous.get('/tickets')],
      ['forbidden', () => carol.get('/people')],
      ['invalid_request', () => carol.get('/tickets?limit=0')],
      ['not_found', () => carol.get('/tickets/T-999999')],
      ['method_not_allowed', () => carol.post('/people')],
    ]
    for (const [code, refused] of refusals)
      expect(await growth(`desk_service_refusals_total{code="${code}"}`, refused), code).toBe(1)
  })

  test('transactions, with the wait for the connection', async () => {
    const of = (kind: string) => `desk_service_transaction_duration_seconds_count{kind="${kind}"}`
    expect(await growth(of('read'), () => carol.get('/tickets'))).toBe(1)
    expect(await growth(of('write'), () => carol.post('/tickets', { body }))).toBe(1)
  })

  test('exported tickets, by page and by line', async () => {
    const series = 'desk_service_exported_tickets_total'
    const { open, closed } = await service.store.countTickets()
    expect(await growth(series, () => dave.get('/export'))).toBe(open + closed)
    const lines = { Accept: 'application/x-ndjson' }
    expect(await growth(series, () => dave.get('/export', lines))).toBe(open + closed)
  })
})

test('tickets are counted when scraped, kept for ten seconds, and not shown while nobody can count them', async () => {
  let now = 0
  let count = () => Promise.resolve({ open: 3, closed: 4 })
  const { registry } = createMetrics({
    ...{ version: '1', nodeVersion: 'v20', contract: readContract(), identityPath: '/identity' },
    countTickets: () => count(),
    monotonicMs: () => now,
  })
  const open = async () => valueOf(await registry.metrics(), 'desk_service_tickets{status="open"}')
  expect(await open()).toBe(3)
  count = () => Promise.resolve({ open: 5, closed: 4 })
  now = 9_999
  expect(await open()).toBe(3)
  now = 10_000
  expect(await open()).toBe(5)
  count = () => Promise.reject(new Error('closed'))
  now = 20_000
  expect(await open()).toBeUndefined()
  expect(await registry.metrics()).toContain('desk_service_build_info{version="1",node_version="v20"} 1')
})

describe('requests', () => {
  const count = (method: string, route: string, status: string | number) =>
    `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`

  test('are counted by the template of their route, and there is a series before the first of them', async () => {
    const ok = count('GET', '/v1/tickets/{id}/comments', 200)
    const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
    expect(await growth(ok, () => carol.get(`/tickets/${ticket.id}/comments`))).toBe(1)
    expect(await value(count('POST', '/v1/tickets/{id}/close', 500))).toBe(0)
    await carol.get('/tickets/not-an-id')
    expect(await value(count('GET', '/v1/tickets/{id}', 400))).toBe(1)
    await fetch(`${service.url}/tickets/${ticket.id}`, { method: 'DELETE' })
    expect(await value(count('other', '/v1/tickets/{id}', 405))).toBe(1)
    await fetch(new URL('/readyz', service.url))
    expect(await value(count('GET', '/readyz', 200))).toBe(1)
  })

  test('of a trace leave its id as the exemplar, and only a well-formed one', async () => {
    await carol.get('/policy', { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` })
    for (const bad of [
      `ff-${'1'.repeat(32)}-b7ad6b7169203331-01`,
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-${'2'.repeat(32)}-b7ad6b7169203331-01-more`,
      `00-${'A'.repeat(32)}-b7ad6b7169203331-01`,
    ])
      await carol.get('/policy', { traceparent: bad })
    const exemplars = [...(await scrape()).matchAll(/ # \{trace_id="(\w+)"\}/g)].map(([, id]) => id)
    expect(exemplars).toEqual([TRACE_ID])
    const traced = service.logLines.filter((line) => line.includes('"trace_id"'))
    expect(traced).toHaveLength(1)
    expect(JSON.parse(traced[0] ?? '')).toMatchObject({ trace_id: TRACE_ID, route: '/v1/policy' })
  })

  test('with random paths, methods, ids, queries and headers make no series beyond the closed sets', async () => {
    const random = () => Math.random().toString(36).slice(2)
    const odd = ['PROPFIND', 'REPORT', 'LOCK', 'PATCH', 'PURGE', 'QUERY']
    const storm = async () => {
      for (let n = 0; n < 60; n += 1) {
        const path = [`/${random()}`, `/tickets/T-${n + 1_000_000}`, `/tickets/${random()}/close`][n % 3]
        const method = n % 2 === 0 ? 'GET' : (odd[n % odd.length] ?? 'GET')
        const reply = await fetch(`${service.url}${path}?${random()}=${random()}`, {
          method,
          headers: { 'X-Request-Id': random(), traceparent: random(), [`X-${random()}`]: random() },
        })
        await reply.arrayBuffer()
      }
    }
    await storm()
    const known = new Set(seriesIn(await scrape()))
    await storm()
    expect(seriesIn(await scrape()).filter((series) => !known.has(series))).toEqual([])
    expect(known.size).toBeLessThan(MAX_SERIES)
  })

  test('that the client leaves are 499 and refuse nothing', async () => {
    const left = count('POST', '/v1/tickets', 499)
    const { hostname, port } = new URL(service.url)
    const head = [
      'POST /v1/tickets HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${await service.tokenOf('carol')}`,
      'Content-Type: application/json',
      'Content-Length: 500',
    ]
    const socket = connect(Number(port), hostname)
    socket.write(`${head.join('\r\n')}\r\n\r\n{"subject":`, () => socket.destroy())
    await expect.poll(() => value(left)).toBe(1)
    expect(service.logLines.at(-1)).not.toContain('"code"')
  })
})

test('open event streams are counted, and those whose reader went away are not', async () => {
  const series = 'desk_service_open_event_streams'
  const headers = { Authorization: `Bearer ${await service.tokenOf('alice')}` }
  const gone = new AbortController()
  await Promise.all(
    Array.from({ length: 5 }, () => fetch(`${service.url}/events`, { headers, signal: gone.signal })),
  )
  expect(await value(series)).toBe(5)
  await fetch(`${service.url}/events`, { headers: { ...headers, 'Last-Event-ID': '999999999' } })
  expect(await value(series)).toBe(5)
  gone.abort()
  await expect.poll(() => value(series)).toBe(0)
})

test('HEAD answers like GET without the content, on a stream too', async () => {
  const headers = async (person: string) => ({ Authorization: `Bearer ${await service.tokenOf(person)}` })
  const head = async (path: string, person: string, more = {}) =>
    fetch(service.url + path, { method: 'HEAD', headers: { ...(await headers(person)), ...more } })
  for (const path of ['/tickets', '/policy', '/openapi.json', '/healthz', '/tickets/T-1']) {
    const get = await fetch(service.url + path, { headers: await headers('alice') })
    const reply = await head(path, 'alice')
    const facts = ({ status, headers: of }: Response) => [status, of.get('content-type'), of.get('etag')]
    expect(facts(reply), path).toEqual(facts(get))
    expect(await reply.text()).toBe('')
    await get.arrayBuffer()
  }
  expect((await head('/tickets?limit=0', 'alice')).status).toBe(400)
  expect((await head('/people', 'carol')).status).toBe(403)
  expect((await head('/events', 'alice')).status).toBe(200)
  const lines = await head('/export', 'dave', { Accept: 'application/x-ndjson' })
  expect([lines.status, lines.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect((await fetch(`${service.url}/tickets/T-1/close`, { method: 'HEAD' })).status).toBe(405)
})
