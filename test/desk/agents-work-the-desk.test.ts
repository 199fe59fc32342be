// The acceptance of the whole: real clients of both generations against the running desk.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type Connect, type DeskClient } from '../support/clients.ts'
import { startDesk, type Desk } from '../support/desk.ts'
import { errorOf, textOf, type CallResult } from '../support/gateway.ts'

interface Ticket {
  id: string
  status: string
  subject: string
  requester: { id: string }
  assignee: { id: string } | null
  resolution: string | null
}
interface Page {
  tickets: Ticket[]
  total: number
  next_cursor: string | null
}

const TOOLS = [
  'acme_desk__tickets_search',
  'acme_desk__ticket_get',
  'acme_desk__ticket_create',
  'acme_desk__ticket_comment',
  'acme_desk__ticket_close',
  'acme_desk__ticket_reopen',
  'acme_desk__ticket_assign',
  'acme_desk__desk_export',
]

let desk: Desk
beforeAll(async () => {
  desk = await startDesk({ tickets: 60 })
})
afterAll(() => desk.close())

async function data<T>(client: DeskClient, tool: string, args: Record<string, unknown> = {}): Promise<T> {
  const result = await client.call(tool, args)
  if (result.isError) throw new Error(textOf(result))
  return result.structuredContent as T
}

describe.each(CLIENTS)('$name', ({ connect }) => {
  const as = async (person: string) => connectAs(connect, person)

  it('lists the same eight tools in the same order', async () => {
    const alice = await as('alice')
    expect(await alice.toolNames()).toEqual(TOOLS)
    await alice.close()
  })

  it('alice searches, reads, files, comments, assigns, closes and reopens', async () => {
    const alice = await as('alice')
    const found = await data<Page>(alice, 'tickets_search', { query: 'printer' })
    expect(found.total).toBeGreaterThan(1)
    const id = found.tickets[0]?.id ?? ''
    expect(await data(alice, 'ticket_get', { id })).toMatchObject({ ticket: { id } })

    const filed = await data<{ ticket: Ticket; created: boolean }>(alice, 'ticket_create', {
      subject: 'Scanner is slow',
      body: 'One page a minute.',
      tags: ['vip', 'a,b'],
    })
    expect(filed).toMatchObject({
      created: true,
      ticket: { status: 'open', tags: ['vip', 'a,b'], assignee: null },
    })
    const own = { id: filed.ticket.id }
    expect(
      await data(alice, 'ticket_comment', { ...own, body: 'On it.', visibility: 'internal' }),
    ).toMatchObject({
      body: 'On it.',
      author: { id: 'alice', role: 'staff' },
    })
    expect(await data<Ticket>(alice, 'ticket_assign', { ...own, assignee: 'bob' })).toMatchObject({
      assignee: { id: 'bob' },
    })
    expect(await data<Ticket>(alice, 'ticket_close', { ...own, resolution: 'New driver.' })).toMatchObject({
      status: 'closed',
      resolution: 'New driver.',
    })
    expect(await data<Ticket>(alice, 'ticket_reopen', own)).toMatchObject({
      status: 'open',
      resolution: null,
    })
    await alice.close()
  })

  it('a ticket that is closed cannot be closed again, and the answer says what to do', async () => {
    const alice = await as('alice')
    const { ticket } = await data<{ ticket: Ticket }>(alice, 'ticket_create', {
      subject: 'Mouse',
      body: 'Dead.',
    })
    await data(alice, 'ticket_close', { id: ticket.id, resolution: 'New battery.' })
    const again = await alice.call('ticket_close', { id: ticket.id, resolution: 'New battery.' })
    expect(errorOf(again)).toMatchObject({ class: 'conflict', code: 'wrong_state', retryable: false })
    expect(textOf(again)).toMatch(/^\[conflict\] .*closed.*\n.*acme_desk__ticket_reopen/)
    await alice.close()
  })

  it('dave exports every ticket exactly once by following the cursors', async () => {
    const dave = await as('dave')
    const ids: string[] = []
    let page: { tickets: { ticket: Ticket }[]; total: number; next_cursor: string | null }
    let cursor: string | null = null
    do {
      page = await data(dave, 'desk_export', cursor === null ? {} : { cursor })
      ids.push(...page.tickets.map(({ ticket }) => ticket.id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(page.total)
    await dave.close()
  })

  it("carol sees her own tickets only, and somebody else's is not found", async () => {
    const carol = await as('carol')
    const alice = await as('alice')
    const hers = await data<Page>(carol, 'tickets_search', { limit: 20 })
    expect(hers.total).toBeGreaterThan(5)
    expect(new Set(hers.tickets.map(({ requester }) => requester.id))).toEqual(new Set(['carol']))
    const { tickets } = await data<Page>(alice, 'tickets_search', { requester: 'erin', limit: 1 })
    const foreign = await carol.call('ticket_get', { id: tickets[0]?.id })
    const missing = await carol.call('ticket_get', { id: 'T-999999' })
    expect(errorOf(foreign).class).toBe('not_found')
    const words = (result: CallResult) => textOf(result).replace(/Request id: \S+/, '')
    expect(words(foreign)).toBe(words(missing))
    await Promise.all([carol.close(), alice.close()])
  })

  it('carol is refused ticket_close by the service: her scope is enough, her role is not', async () => {
    const carol = await as('carol')
    const { tickets } = await data<Page>(carol, 'tickets_search', { status: 'open', limit: 1 })
    const refused = await carol.call('ticket_close', { id: tickets[0]?.id, resolution: 'I am done.' })
    expect(errorOf(refused)).toMatchObject({ class: 'forbidden', code: 'forbidden', retryable: false })
    await carol.close()
  })

  it('carol is refused desk_export by the gateway, before any tool runs', async () => {
    const carol = await as('carol')
    await expect(carol.call('desk_export')).rejects.toThrow(/insufficient.scope/i)
    await carol.close()
  })

  it('the policy and the triage prompt can be read', async () => {
    const carol = await as('carol')
    expect(await carol.readPolicy()).toMatch(/^# /)
    expect(await carol.triage('T-1')).toContain('acme_desk__ticket_get')
    await carol.close()
  })
})

async function connectAs(connect: Connect, person: string): Promise<DeskClient> {
  return connect(desk.url, await desk.token(person))
}

it('desk_export without its scope is HTTP 403 with a challenge that names the scope', async () => {
  const response = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await desk.token('carol')}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'acme_desk__desk_export', arguments: {} },
    }),
  })
  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*/)
  expect(response.headers.get('www-authenticate')).toContain('scope="desk:admin"')
})
