import { describe, expect, it } from 'vitest'
import { retryAfterSeconds } from '../../src/backend/reply.ts'

const NOW = Date.parse('2026-03-02T09:15:00.000Z')

describe('Retry-After', () => {
  it.each([
    ['20', 20],
    [' 20 ', 20],
    ['1', 1],
    ['3600', 3600],
    ['86401', 86_400],
    ['999999999', 86_400],
    ['Mon, 02 Mar 2026 09:15:30 GMT', 30],
    ['Monday, 02-Mar-26 09:15:30 GMT', 30],
    ['Mon, 02 Mar 2099 09:15:30 GMT', 86_400],
  ])('"%s" is %d seconds (C02, C03)', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds)
  })

  it('that is less than a second away is one second', () => {
    expect(retryAfterSeconds('Mon, 02 Mar 2026 09:15:30 GMT', NOW + 29_500)).toBe(1)
  })

  it.each([
    undefined,
    '',
    '0',
    '-1',
    '1.5',
    '1e3',
    '+20',
    '20s',
    'soon',
    '20, 30',
    '9'.repeat(400),
    'Mon, 02 Mar 2026 09:14:30 GMT',
    'Mon, 99 Mar 2026 09:15:30 GMT',
  ])('"%s" says nothing', (header) => {
    expect(retryAfterSeconds(header, NOW)).toBeUndefined()
  })
})
