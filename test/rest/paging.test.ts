import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CommentPage,
  CreatedTicket,
  ExportPage,
  TicketDetail,
  TicketPage,
} from '../../openapi/desk.gen.ts'
import { as } from '../support/desk-client.ts'
import type { DeskClient } from '../support/desk-client.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import type { TicketToLoad } from '../../backend-api/store/store.ts'

const KIB = 1024
let service: Service
let alice: DeskClient
let dave: DeskClient
beforeAll(async () => {
  service = await startService()
  alice = await as(service, 'alice')
  dave = await as(service, 'dave')
})
afterAll(() => service.close())

const ticket = (n: number, comments: string[] = []): TicketToLoad => ({
  subject: `Ticket ${n}`,
  body: 'Something is wrong.',
  priority: 'normal',
  tags: ['load'],
  requesterId: n % 2 === 0 ? 'carol' : 'erin',
  assigneeId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  closed: null,
  comments: comments.map((body) => ({
    authorId: 'alice',
    body,
    visibility: 'public' as const,
    createdAt: '2026-01-01T00:00:00.000Z',
  })),
})
const load = (tickets: Iterable<TicketToLoad>) => service.store.load([], tickets, 'test')

async function* pages(client: DeskClient, path: string): AsyncGenerator<TicketPage> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body }: { body: TicketPage } = await client.get<TicketPage>(
      path + (cursor === '' ? '' : `&cursor=${cursor}`),
    )
    yield body
    cursor = body.next_cursor
  }
}

describe('lists', () => {
  test('500 tickets at 20 a page are each read once, while 200 are created and others are closed', async () => {
    await load(Array.from({ length: 500 }, (_, n) => ticket(n)))
    const seen: string[] = []
    let turn = 0
    for await (const page of pages(alice, '/tickets?tag=load&limit=20')) {
      seen.push(...page.tickets.map(({ id }) => id))
      turn += 1
      const created = Array.from({ length: 8 }, () =>
        alice.post('/tickets', { body: { subject: 'New', body: 'New.', tags: ['load'] } }),
      )
      const closed = alice.post(`/tickets/T-${501 - turn * 15}/close`, { body: { resolution: 'Done.' } })
      await Promise.all([...created, closed])
    }
    expect(turn).toBe(25)
    expect(seen).toEqual(Array.from({ length: 500 }, (_, n) => `T-${500 - n}`))
    expect((await alice.get<TicketPage>('/tickets?tag=load')).body.total).toBe(700)
  })

  test('23 tickets at 10 a page: 10, 10, 3, then no cursor, and the exact total on each', async () => {
    await load(Array.from({ length: 23 }, (_, n) => ({ ...ticket(n), tags: ['three pages'] })))
    const read: TicketPage[] = []
    for await (const page of pages(alice, '/tickets?tag=three%20pages&limit=10')) read.push(page)
    expect(read.map(({ tickets }) => tickets.length)).toEqual([10, 10, 3])
    expect(read.map(({ total }) => total)).toEqual([23, 23, 23])
  })

  test('the last full page has no cursor', async () => {
    await load(Array.from({ length: 4 }, (_, n) => ({ ...ticket(n), tags: ['exact'] })))
    expect((await alice.get<TicketPage>('/tickets?tag=exact&limit=4')).body.next_cursor).toBeNull()
  })
})

describe('comments', () => {
  test('500 comments of 4 kB come in pages of at most 64 KiB, each once', async () => {
    const bodies = Array.from({ length: 500 }, (_, n) => `${n} `.padEnd(4000, 'x'))
    await load([ticket(0, bodies)])
    const newest = (await alice.get<TicketPage>('/tickets?limit=1')).body.tickets[0]?.id ?? ''
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `?comments_cursor=${cursor}`
      const { body }: { body: TicketDetail } = await alice.get<TicketDetail>(`/tickets/${newest}${query}`)
      expect(Buffer.byteLength(JSON.stringify(body.comments))).toBeLessThanOrEqual(64 * KIB + 1)
      seen.push(...body.comments.map((comment) => comment.body))
      cursor = body.comments_next_cursor
    }
    expect(seen).toEqual(bodies)
  })

  test('a ticket’s comments cursor works in the list of its comments too', async () => {
    await load([ticket(0, ['one', 'two', 'three'])])
    const id = (await alice.get<TicketPage>('/tickets?limit=1')).body.tickets[0]?.id ?? ''
    const detail = (await alice.get<TicketDetail>(`/tickets/${id}?comments_limit=2`)).body
    const rest = await alice.get<CommentPage>(
      `/tickets/${id}/comments?cursor=${detail.comments_next_cursor ?? ''}`,
    )
    expect(rest.body).toMatchObject({ comments: [{ body: 'three' }], total: 3, next_cursor: null })
  })
})

describe('the export', () => {
  const everything = async () => {
    const read: ExportPage[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `?cursor=${cursor}`
      const { body }: { body: ExportPage } = await dave.get<ExportPage>(`/export${query}`)
      read.push(body)
      cursor = body.next_cursor
    }
    return read
  }

  test('pages hold at most 200 tickets and 256 KiB, and every ticket once, oldest first', async () => {
    await load(
      Array.from({ length: 20 }, (_, n) => ticket(n, ['😀'.repeat(4000), 'short', '\u0001'.repeat(4000)])),
    )
    const read = await everything()
    for (const page of read) {
      expect(page.tickets.length).toBeGreaterThan(0)
      expect(page.tickets.length).toBeLessThanOrEqual(200)
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(256 * KIB)
    }
    const ids = read.flatMap((page) => page.tickets.map((detail) => detail.ticket.id))
    expect(ids).toEqual(Array.from({ length: read[0]?.total ?? 0 }, (_, n) => `T-${n + 1}`))
  })

  test('the comments that did not fit are had with the ticket’s own cursor', async () => {
    const bodies = Array.from({ length: 40 }, (_, n) => `${n} `.padEnd(4000, 'x'))
    await load([ticket(0, bodies)])
    const detail = (await everything()).at(-1)?.tickets.at(-1)
    expect(detail?.comments.length).toBeLessThan(40)
    const id = detail?.ticket.id ?? ''
    const next = await dave.get<TicketDetail>(
      `/tickets/${id}?comments_cursor=${detail?.comments_next_cursor ?? ''}`,
    )
    expect(next.body.comments[0]?.body).toBe(bodies[detail?.comments.length ?? 0])
  })

  test('as a stream every line is a ticket with all its comments, the same tickets as page by page', async () => {
    const reply = await dave.get<string>('/export', { Accept: 'application/x-ndjson' })
    expect(reply.headers.get('content-type')).toContain('application/x-ndjson')
    const lines = reply.body.trimEnd().split('\n')
    const details = lines.map((line) => JSON.parse(line) as TicketDetail)
    const tickets = (await everything()).flatMap((page) => page.tickets.map((detail) => detail.ticket))
    expect(details.map((detail) => detail.ticket)).toEqual(tickets)
    for (const { ticket: exported, comments, comments_next_cursor } of details) {
      expect(comments).toHaveLength(exported.comment_count)
      expect(comments_next_cursor).toBeNull()
    }
  })

  test('a stream starts after the cursor, and a foreign cursor is refused', async () => {
    const [first] = await everything()
    const stream = (cursor: string) =>
      dave.get<string>(`/export?cursor=${cursor}`, { Accept: 'application/x-ndjson' })
    const rest = (await stream(first?.next_cursor ?? '')).body.trimEnd().split('\n')
    expect(rest).toHaveLength((first?.total ?? 0) - (first?.tickets.length ?? 0))
    expect(await stream('AAAA')).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  test('a reader that goes away ends the stream, and the service goes on', async () => {
    // Far more than the sockets between can hold.
    await load(Array.from({ length: 500 }, (_, n) => ({ ...ticket(n), body: '😀'.repeat(8000) })))
    const token = await service.tokenOf('dave')
    // Not fetch, whose signal may do nothing once its request has been collected as garbage.
    const asked = get(`${service.url}/export`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/x-ndjson' },
    })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    await once(response, 'readable')
    response.destroy()
    await expect
      .poll(() =>
        service.logLines.some((line) => line.includes('"finished":false') && line.includes('/v1/export')),
      )
      .toBe(true)
    expect((await dave.get<CreatedTicket>('/healthz')).status).toBe(200)
    expect(service.logLines.join('')).not.toContain('"level":50')
  })
})
