import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  Comment,
  CreatedTicket,
  People,
  Problem,
  Ticket,
  TicketDetail,
  TicketPage,
} from '../../openapi/desk.gen.ts'
import { as } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { PEOPLE, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
let carol: DeskClient
let erin: DeskClient
let alice: DeskClient
let dave: DeskClient
beforeAll(async () => {
  service = await startService()
  carol = await as(service, 'carol')
  erin = await as(service, 'erin')
  alice = await as(service, 'alice')
  dave = await as(service, 'dave')
})
afterAll(() => service.close())

const file = async (by = carol, more: object = {}) =>
  (await by.post<CreatedTicket>('/tickets', { body: { subject: 'Printer', body: 'It is off.', ...more } }))
    .body.ticket

describe('filing and reading', () => {
  test('a customer files a ticket and reads it back', async () => {
    const reply = await carol.post<CreatedTicket>('/tickets', {
      body: { subject: 'Printer', body: 'Off.', priority: 'high', tags: ['vip', 'a,b'] },
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ created: true, ticket: { priority: 'high', tags: ['vip', 'a,b'] } })
    const detail = await carol.get<TicketDetail>(`/tickets/${reply.body.ticket.id}`)
    expect(detail.body).toEqual({ ticket: reply.body.ticket, comments: [], comments_next_cursor: null })
  })

  test('somebody the desk did not know becomes known with their first ticket', async () => {
    const zoe = await as(service, 'zoe', { name: 'Zoe Lind' })
    expect((await file(zoe)).requester).toEqual({ id: 'zoe', name: 'Zoe Lind' })
    expect(await service.store.findPerson('zoe')).toMatchObject({ name: 'Zoe Lind', role: 'customer' })
  })

  test('somebody else’s ticket is word for word the same answer as an id that does not exist', async () => {
    const { id } = await file()
    const headers = { 'X-Request-Id': 'the-same-id' }
    const [foreign, missing] = await Promise.all(
      [id, 'T-999999999'].map((one) => erin.get<Problem>(`/tickets/${one}`, headers)),
    )
    expect(foreign?.status).toBe(404)
    expect(foreign?.body).toEqual(missing?.body)
    for (const action of ['close', 'reopen', 'assign', 'comments']) {
      const body = { close: { resolution: 'x' }, assign: { assignee: 'bob' }, comments: { body: 'x' } }[
        action
      ]
      const [one, other] = await Promise.all(
        [id, 'T-999999999'].map((to) => erin.post<Problem>(`/tickets/${to}/${action}`, { body, headers })),
      )
      expect(one?.body).toMatchObject({ code: 'not_found' })
      expect(one?.body).toEqual(other?.body)
    }
  })

  test('a customer lists their own tickets only, whatever they ask for', async () => {
    await file()
    const ids = async (path: string) => (await erin.get<TicketPage>(path)).body
    expect(await ids('/tickets')).toEqual({ tickets: [], total: 0, next_cursor: null })
    expect(await ids('/tickets?requester=carol')).toEqual({ tickets: [], total: 0, next_cursor: null })
  })

  test('filters and words hold at once', async () => {
    const { id } = await file(carol, { subject: 'Unusual wording', priority: 'urgent', tags: ['floor 3'] })
    await alice.post(`/tickets/${id}/assign`, { body: { assignee: 'bob' } })
    const query = 'query=UNUSUAL&priority=urgent&tag=floor%203&assignee=bob&requester=carol'
    expect((await alice.get<TicketPage>(`/tickets?${query}&status=open`)).body.tickets).toMatchObject([
      { id },
    ])
    expect((await alice.get<TicketPage>(`/tickets?${query}&status=closed`)).body.total).toBe(0)
  })

  test('a query has at most ten different words', async () => {
    const words = 'one two three four five six seven eight nine ten'
    expect((await alice.get(`/tickets?query=${words} TEN ten!`)).status).toBe(200)
    expect(await alice.get<Problem>(`/tickets?query=${words} eleven`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field: 'query' },
    })
  })

  test('a query without a word finds nothing', async () => {
    await file()
    expect((await alice.get<TicketPage>('/tickets?query=*')).body.total).toBe(0)
  })
})

describe('the life of a ticket', () => {
  test('assigned, closed and reopened by staff, with the resolution gone afterwards', async () => {
    const { id } = await file()
    const assigned = await alice.post<Ticket>(`/tickets/${id}/assign`, { body: { assignee: 'bob' } })
    expect(assigned.body.assignee).toEqual({ id: 'bob', name: 'Bob Lindqvist' })
    const closed = await alice.post<Ticket>(`/tickets/${id}/close`, {
      body: { resolution: 'Replaced the fuser.' },
    })
    expect(closed.body).toMatchObject({ status: 'closed', resolution: 'Replaced the fuser.' })
    expect(closed.body.closed_at).toBe(closed.body.updated_at)
    const reopened = await dave.post<Ticket>(`/tickets/${id}/reopen`)
    expect(reopened.body).toMatchObject({ status: 'open', resolution: null, closed_at: null })
  })

  test('the wrong state is a conflict that names the current one', async () => {
    const { id } = await file()
    const reopened = await alice.post<Problem>(`/tickets/${id}/reopen`)
    expect(reopened).toMatchObject({ status: 409, body: { code: 'wrong_state', current_status: 'open' } })
    await alice.post(`/tickets/${id}/close`, { body: { resolution: 'Done.' } })
    const closing = await alice.post<Problem>(`/tickets/${id}/close`, { body: { resolution: 'Done.' } })
    const assigning = await alice.post<Problem>(`/tickets/${id}/assign`, { body: { assignee: 'bob' } })
    const commenting = await carol.post<Problem>(`/tickets/${id}/comments`, { body: { body: 'And?' } })
    for (const reply of [closing, assigning, commenting]) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'wrong_state', current_status: 'closed' } })
    }
    expect(commenting.body.detail).toContain('staff can reopen')
  })

  test('the refusal of an assignee names the staff', async () => {
    const { id } = await file()
    const reply = await alice.post<Problem>(`/tickets/${id}/assign`, { body: { assignee: 'carol' } })
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_assignee', field: 'assignee' } })
    expect(reply.body.detail).toContain('alice (Alice Novak), bob (Bob Lindqvist)')
  })

  test.each([
    ['close', { resolution: 'x' }],
    ['reopen', undefined],
    ['assign', { assignee: 'bob' }],
    ['comments', { body: 'x', visibility: 'internal' }],
  ])('a customer may not %s their own ticket that way', async (action, body) => {
    const { id } = await file()
    expect(await carol.post(`/tickets/${id}/${action}`, { body })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
  })
})

describe('comments', () => {
  test('internal comments appear to staff and in nothing that a customer gets', async () => {
    const { id } = await file(carol, { subject: 'Betrayal' })
    const before = await carol.get<TicketDetail>(`/tickets/${id}`)
    await alice.post(`/tickets/${id}/comments`, { body: { body: 'hushhush', visibility: 'internal' } })
    const after = await carol.get<TicketDetail>(`/tickets/${id}`)
    expect(after.body).toEqual(before.body)
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
    expect((await carol.get(`/tickets/${id}/comments`)).body).toEqual({
      comments: [],
      total: 0,
      next_cursor: null,
    })
    expect((await carol.get<TicketPage>('/tickets?query=hushhush')).body.total).toBe(0)
    expect((await alice.get<TicketPage>('/tickets?query=hushhush')).body.tickets).toMatchObject([
      { id, comment_count: 1 },
    ])
  })

  test('a comment carries its author with their role', async () => {
    const { id } = await file()
    const reply = await alice.post<Comment>(`/tickets/${id}/comments`, { body: { body: 'On my way.' } })
    expect(reply).toMatchObject({
      status: 201,
      body: { author: { id: 'alice', name: 'Alice Novak', role: 'staff' }, visibility: 'public' },
    })
  })

  test('a comment of 4,000 characters of four bytes passes, and one more character does not', async () => {
    const { id } = await file()
    expect((await carol.post(`/tickets/${id}/comments`, { body: { body: '😀'.repeat(4000) } })).status).toBe(
      201,
    )
    expect(await carol.post(`/tickets/${id}/comments`, { body: { body: '😀'.repeat(4001) } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field: 'body' },
    })
  })
})

describe('conditional reading', () => {
  test('the same ETag is 304 without a body, and any change is a new one', async () => {
    const { id } = await file()
    const first = await carol.get(`/tickets/${id}`)
    const etag = first.headers.get('etag') ?? ''
    expect(await carol.get(`/tickets/${id}`, { 'If-None-Match': etag })).toMatchObject({
      status: 304,
      body: '',
    })
    await carol.post(`/tickets/${id}/comments`, { body: { body: 'More.' } })
    expect((await carol.get(`/tickets/${id}`, { 'If-None-Match': etag })).status).toBe(200)
  })

  test('the ETag of a ticket with more comments than fit stays the same while nothing changes', async () => {
    const { id } = await file()
    for (let n = 0; n < 3; n += 1) await carol.post(`/tickets/${id}/comments`, { body: { body: `No. ${n}` } })
    const etags = [1, 2].map(async () =>
      (await carol.get(`/tickets/${id}?comments_limit=2`)).headers.get('etag'),
    )
    expect(new Set(await Promise.all(etags)).size).toBe(1)
  })
})

describe('who may ask for the whole desk', () => {
  test('people are for staff, and are those to whom a ticket can be assigned', async () => {
    expect(await carol.get('/people')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const staff = PEOPLE.filter(({ role }) => role === 'staff')
    expect((await alice.get<People>('/people')).body.people).toEqual(staff)
  })
  test('the export asks for the scope first, then for the role', async () => {
    const pretender = await as(service, 'alice', { scope: 'tickets:read desk:admin' })
    expect(await alice.get('/export')).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    expect(await pretender.get('/export')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })
})
