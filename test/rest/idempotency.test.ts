import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedTicket, Problem, TicketPage } from '../../openapi/desk.gen.ts'
import { as } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
let carol: DeskClient
let alice: DeskClient
beforeAll(async () => {
  service = await startService()
  carol = await as(service, 'carol')
  alice = await as(service, 'alice')
})
afterAll(() => service.close())

const body = { subject: 'Printer', body: 'Off.' }

test('of 50 concurrent creates with one key one ticket exists, and 50 callers hold it', async () => {
  const ticket = { subject: 'Stampede', body: 'Once.' }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      carol.post<CreatedTicket>('/tickets', { body: ticket, key: 'stampede' }),
    ),
  )
  expect(new Set(replies.map((reply) => reply.body.ticket.id)).size).toBe(1)
  expect(replies.filter((reply) => reply.body.created)).toHaveLength(1)
  expect(replies.map((reply) => reply.status).sort()).toEqual([...new Array<number>(49).fill(200), 201])
  expect((await carol.get<TicketPage>('/tickets?query=stampede')).body.total).toBe(1)
})

test('a repeat is the stored answer, as the ticket was then, and says so', async () => {
  const first = await carol.post<CreatedTicket>('/tickets', { body, key: 'again' })
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  await alice.post(`/tickets/${first.body.ticket.id}/close`, { body: { resolution: 'Done.' } })
  // The order of the properties and a default that is spelt out do not make another request.
  const repeat = await carol.post<CreatedTicket>('/tickets', {
    body: { priority: 'normal', body: 'Off.', subject: 'Printer', tags: [] },
    key: 'again',
  })
  expect(repeat).toMatchObject({ status: 200, body: { ticket: first.body.ticket, created: false } })
  expect(repeat.headers.get('idempotency-replayed')).toBe('true')
})

test('the same key with another body, ticket or action is refused', async () => {
  const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body, key: 'mine' })).body
  await alice.post(`/tickets/${ticket.id}/close`, { body: { resolution: 'Done.' }, key: 'staff' })
  const others = [
    carol.post<Problem>('/tickets', { body: { ...body, subject: 'Other' }, key: 'mine' }),
    carol.post<Problem>(`/tickets/${ticket.id}/comments`, { body: { body: 'x' }, key: 'mine' }),
    alice.post<Problem>(`/tickets/${ticket.id}/reopen`, { key: 'staff' }),
    alice.post<Problem>('/tickets/T-1/close', { body: { resolution: 'Done.' }, key: 'staff' }),
  ]
  for (const reply of await Promise.all(others)) {
    expect(reply).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused', field: 'idempotency_key' },
    })
  }
})

test('an answer that was stored for a member of staff is not shown to the customer that they have become', async () => {
  const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
  const note = { body: { body: 'hushhush', visibility: 'internal' }, key: 'note' }
  expect((await alice.post(`/tickets/${ticket.id}/comments`, note)).status).toBe(201)
  const customer = await as(service, 'alice', { role: 'customer' })
  expect(await customer.post(`/tickets/${ticket.id}/comments`, note)).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  })
})

test('each write with a key is done once', async () => {
  const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
  const writes = [
    ['comments', { body: 'Hello' }],
    ['assign', { assignee: 'bob' }],
    ['close', { resolution: 'Done.' }],
    ['reopen', undefined],
  ] as const
  for (const [action, sent] of writes) {
    const path = `/tickets/${ticket.id}/${action}`
    const first = await alice.post(path, { body: sent, key: action })
    const before = await service.store.lastEventId()
    const repeat = await alice.post(path, { body: sent, key: action })
    expect([repeat.status, repeat.body]).toEqual([first.status, first.body])
    expect(repeat.headers.get('idempotency-replayed')).toBe('true')
    expect(await service.store.lastEventId()).toBe(before)
  }
})

test('a refused write does not use up its key', async () => {
  const { ticket } = (await carol.post<CreatedTicket>('/tickets', { body })).body
  const path = `/tickets/${ticket.id}/reopen`
  expect((await alice.post(path, { key: 'retry' })).status).toBe(409)
  await alice.post(`/tickets/${ticket.id}/close`, { body: { resolution: 'Done.' } })
  expect((await alice.post(path, { key: 'retry' })).status).toBe(200)
})

test('a key is free again after 24 hours', async () => {
  const first = await carol.post<CreatedTicket>('/tickets', { body, key: 'daily' })
  const tomorrow = new Date(Date.now() + 24 * 3_600_000 + 1000)
  service.clock.now = () => tomorrow
  const fresh = await as(service, 'carol', { exp: Math.floor(tomorrow.getTime() / 1000) + 60 })
  const second = await fresh.post<CreatedTicket>('/tickets', { body, key: 'daily' })
  service.clock.now = () => new Date()
  expect(second.status).toBe(201)
  expect(second.body.ticket.id).not.toBe(first.body.ticket.id)
})

test.each(['a b', 'ü', 'x'.repeat(129)])(
  'a key that is not 1 to 128 visible ASCII characters is refused: %s',
  async (key) => {
    const reply = await carol.post<Problem>('/tickets', {
      body,
      headers: { 'Idempotency-Key': encodeLatin1(key) },
    })
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'idempotency_key' } })
  },
)

function encodeLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
