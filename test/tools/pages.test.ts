// Pages keep their promises where the service does not: no more rows than asked for, no endless loop, no flood.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ok } from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { TICKET_DETAIL, ticketSummary } from '../support/scripted-backend.ts'
import { COMMENT, EXPORT, PAGE, success } from '../support/strict-client.ts'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
})
afterAll(() => desk.close())
beforeEach(() => {
  desk.backend.asked.length = 0
})

describe('Pages', () => {
  it('have no more rows than were asked for, also where the service sends more (C33)', async () => {
    const many = {
      tickets: Array.from({ length: 25 }, (_, i) => ticketSummary(i + 1)),
      total: 25,
      next_cursor: null,
    }
    const rows = async (args: Record<string, unknown>) =>
      (await success(desk, 'tickets_search', many, args)).structuredContent?.['tickets'] as { id: string }[]
    expect((await rows({ limit: 2 })).map(({ id }) => id)).toEqual(['T-1', 'T-2'])
    expect(await rows({})).toHaveLength(20)
  })

  it.each([
    ['tickets_search', { cursor: 'abc' }, { ...PAGE, next_cursor: 'abc' }],
    ['desk_export', { cursor: 'abc' }, { ...EXPORT, next_cursor: 'abc' }],
    ['ticket_get', { id: 'T-42', comments_cursor: 'abc' }, { ...TICKET_DETAIL, comments_next_cursor: 'abc' }],
  ])('of %s that never move on are an error, so that no loop is endless (C34)', async (tool, args, reply) => {
    desk.backend.answer(ok(JSON.stringify(reply)))
    const result = await desk.gateway.call(tool, args, desk.tokens.dave)
    expect(errorOf(result)).toMatchObject({
      class: 'bad_backend_reply',
      code: 'cursor_stuck',
      retryable: false,
    })
    expect(textOf(result)).toContain('paging would never end')
  })

  it('of comments stay under a bound, also where the service sends 500 of 4 kB (C35)', async () => {
    const comments = Array.from({ length: 480 }, (_, index) => ({
      ...COMMENT,
      id: `C-${index + 1}`,
      body: 'x'.repeat(4_000),
    }))
    const reply = { ...TICKET_DETAIL, comments, comments_next_cursor: 'more' }
    const result = await success(desk, 'ticket_get', reply)
    expect(result.structuredContent?.['comments']).toHaveLength(20)
    expect(result.structuredContent?.['comments_next_cursor']).toBe('more')
    expect(textOf(result).length).toBeLessThan(100_000)
  })
})
