import { describe, expect, it } from 'vitest'
import { closest } from '../../src/tools/closest.ts'

const NAMES = ['ticket_get', 'ticket_close', 'tickets_search', 'desk_export']

describe('The nearest names', () => {
  it.each([
    ['ticket_get', 'ticket_get'],
    ['TICKET_GET', 'ticket_get'],
    ['get_ticket', 'ticket_get'],
    ['ticket_clsoe', 'ticket_close'],
    ['search_tickets', 'tickets_search'],
    ['export_desk', 'desk_export'],
  ])('of %s start with %s', (name, expected) => {
    expect(closest(name, NAMES, 3)[0]).toBe(expected)
  })

  it('are no more than asked for', () => {
    expect(closest('ticket_', NAMES, 2)).toHaveLength(2)
  })

  it.each(['', 'zzzzzzzzzzzzzzzzzzzz', 'x'.repeat(1_000_000), '\uD800'])(
    'of something far off are none',
    (name) => {
      expect(closest(name, NAMES, 3)).toEqual([])
    },
  )
})
