import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDesk, type Desk } from '../support/desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { callerOf, type CallTool } from '../support/mcp-calls.ts'

interface Page {
  tickets: { id: string }[]
  total: number
  next_cursor: string | null
}

let desk: Desk
let alice: CallTool
let carol: CallTool
beforeAll(async () => {
  desk = await startDesk({ tickets: 500 })
  alice = callerOf(desk.url, await desk.token('alice'))
  carol = callerOf(desk.url, await desk.token('carol'))
})
afterAll(() => desk.close())

async function page(call: CallTool, args: Record<string, unknown>): Promise<Page> {
  const result = await call('tickets_search', args)
  if (result.isError) throw new Error(textOf(result))
  return result.structuredContent as unknown as Page
}

async function walk(call: CallTool, args: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null | undefined
  do {
    const { tickets, next_cursor } = await page(call, { ...args, ...(cursor && { cursor }) })
    ids.push(...tickets.map(({ id }) => id))
    cursor = next_cursor
  } while (cursor !== null)
  return ids
}

describe('paging', () => {
  it('through 500 tickets repeats and misses none while 200 are created and others closed (C32)', async () => {
    const before = new Set(Array.from({ length: 500 }, (_, index) => `T-${index + 1}`))
    const open = await page(alice, { status: 'open', limit: 20 })
    const busy = Promise.all([
      ...Array.from({ length: 200 }, (_, index) =>
        alice('ticket_create', { subject: `Newcomer ${index}`, body: 'While others read.' }),
      ),
      ...open.tickets.map(({ id }) => alice('ticket_close', { id, resolution: 'Done meanwhile.' })),
    ])
    const ids = await walk(alice, { limit: 20 })
    const done = await busy
    expect(done.filter((result) => result.isError)).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    expect([...before].filter((id) => !ids.includes(id))).toEqual([])
  })

  it('gives 10, 10 and 3 rows of 23, then no cursor (C32)', async () => {
    for (let index = 0; index < 23; index++)
      await carol('ticket_create', { subject: `Walrus ${index}`, body: 'One of 23.' })
    const sizes: number[] = []
    let cursor: string | null = null
    do {
      const { tickets, next_cursor, total } = await page(carol, {
        query: 'walrus',
        limit: 10,
        ...(cursor !== null && { cursor }),
      })
      expect(total).toBe(23)
      sizes.push(tickets.length)
      cursor = next_cursor
    } while (cursor !== null)
    expect(sizes).toEqual([10, 10, 3])
  })
})

describe('a cursor', () => {
  it.each([
    ['of alice used by carol', (cursor: string) => carol('tickets_search', { status: 'open', cursor })],
    ['used with another filter', (cursor: string) => alice('tickets_search', { status: 'closed', cursor })],
    ['used without its filter', (cursor: string) => alice('tickets_search', { cursor })],
    [
      'used in another list',
      async (cursor: string) => {
        const dave = callerOf(desk.url, await desk.token('dave'))
        return dave('desk_export', { cursor })
      },
    ],
  ])('%s is refused', async (_name, use) => {
    const { next_cursor } = await page(alice, { status: 'open', limit: 5 })
    const refused = await use(next_cursor ?? '')
    expect(errorOf(refused)).toMatchObject({ class: 'invalid_arguments', code: 'invalid_cursor' })
    expect(textOf(refused)).toMatch(/\nLeave the cursor out/)
  })

  it('with any one character changed is refused', async () => {
    const { next_cursor } = await page(alice, { limit: 5 })
    const cursor = next_cursor ?? ''
    const altered = Array.from(cursor, (character, index) => {
      // The neighbour in the alphabet: in the last character it may differ in bits that decode to nothing.
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const other = alphabet[alphabet.indexOf(character) ^ 1] ?? ''
      return cursor.slice(0, index) + other + cursor.slice(index + 1)
    })
    const results = await Promise.all(
      altered.map((changed) => alice('tickets_search', { limit: 5, cursor: changed })),
    )
    expect(results.map((result) => errorOf(result).code)).toEqual(altered.map(() => 'invalid_cursor'))
  })
})
