import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Problem, TicketPage } from '../../openapi/desk.gen.ts'
import { as } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
let alice: DeskClient
let cursor: string
beforeAll(async () => {
  service = await startService()
  alice = await as(service, 'alice')
  for (let n = 0; n < 5; n += 1) {
    await alice.post('/tickets', { body: { subject: 'Printer', body: 'Off.', tags: ['a'] } })
  }
  cursor = (await alice.get<TicketPage>('/tickets?status=open&tag=a&limit=2')).body.next_cursor ?? ''
})
afterAll(() => service.close())

const refused = { status: 400, body: { code: 'invalid_cursor', field: 'cursor' } }
const read = (client: DeskClient, used: string, filter = 'status=open&tag=a') =>
  client.get<Problem>(`/tickets?${filter}&cursor=${used}`)

test('a cursor works for its caller and filter, with another limit and another order of parameters', async () => {
  expect((await read(alice, cursor)).status).toBe(200)
  expect((await read(alice, cursor, 'limit=1&tag=a&status=open')).status).toBe(200)
})

test('a cursor of another caller is refused', async () => {
  expect(await read(await as(service, 'bob'), cursor)).toMatchObject(refused)
})

test('a cursor of the caller in another role is refused', async () => {
  expect(await read(await as(service, 'alice', { role: 'admin' }), cursor)).toMatchObject(refused)
})

test.each(['status=open', 'status=closed&tag=a', 'status=open&tag=b', 'status=open&tag=a&query=printer'])(
  'a cursor of another filter is refused: %s',
  async (filter) => {
    expect(await read(alice, cursor, filter)).toMatchObject(refused)
  },
)

test('a cursor of another list is refused', async () => {
  const dave = await as(service, 'dave')
  const own = (await dave.get<TicketPage>('/tickets?limit=1')).body.next_cursor ?? ''
  expect((await dave.get(`/tickets?cursor=${own}`)).status).toBe(200)
  expect(await dave.get(`/export?cursor=${own}`)).toMatchObject(refused)
  expect(await dave.get(`/tickets/T-1/comments?cursor=${own}`)).toMatchObject(refused)
  expect(await dave.get(`/tickets/T-1?comments_cursor=${own}`)).toMatchObject({
    status: 400,
    body: { code: 'invalid_cursor', field: 'comments_cursor' },
  })
})

test('a cursor with any one character changed, added or removed is refused', async () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const next = (letter: string) => letters[(letters.indexOf(letter) + 1) % 64] ?? ''
  const altered = Array.from(
    cursor,
    (letter, at) => cursor.slice(0, at) + next(letter) + cursor.slice(at + 1),
  )
  // All spellings of the last character, among them those that decode to the same bytes.
  const last = Array.from(letters, (letter) => cursor.slice(0, -1) + letter).filter((one) => one !== cursor)
  for (const used of [...altered, ...last, `${cursor}A`, cursor.slice(1), cursor.slice(0, -1), 'A']) {
    expect(await read(alice, used), used).toMatchObject(refused)
  }
})

test('a cursor of yesterday is refused', async () => {
  const tomorrow = new Date(Date.now() + 24 * 3_600_000 + 1000)
  const fresh = await as(service, 'alice', { exp: Math.floor(tomorrow.getTime() / 1000) + 60 })
  service.clock.now = () => tomorrow
  expect(await read(fresh, cursor)).toMatchObject(refused)
  service.clock.now = () => new Date()
})
