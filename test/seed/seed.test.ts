import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSeedArguments } from '../../backend-api/seed/arguments.ts'
import { seedDesk, seedTickets, STORIES } from '../../backend-api/seed/seed.ts'
import { PEOPLE } from '../../backend-api/seed/people.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'

const contentOf = (tickets: number, seed: number): string =>
  JSON.stringify([...seedTickets({ tickets, seed })])

describe('the seeded tickets', () => {
  it('are the same, byte for byte, for the same number and seed', () => {
    expect(contentOf(500, 7)).toBe(contentOf(500, 7))
  })

  it('differ for another seed', () => {
    expect(contentOf(60, 7)).not.toBe(contentOf(60, 8))
  })

  it.each([1, 60, 61, 2_000])('are %i when that many are asked for', (count) => {
    expect([...seedTickets({ tickets: count, seed: 1 })]).toHaveLength(count)
  })

  it('lie in the three months before 2026-03-01, in order, with their comments in order', () => {
    const tickets = [...seedTickets({ tickets: 300, seed: 1 })]
    expect(tickets.map(({ createdAt }) => createdAt)).toEqual(
      tickets.map(({ createdAt }) => createdAt).sort(),
    )
    for (const { createdAt, comments, closed } of tickets) {
      const times = [
        createdAt,
        ...comments.map((comment) => comment.createdAt),
        ...(closed ? [closed.at] : []),
      ]
      expect(times).toEqual([...times].sort())
      expect(new Set(times).size).toBe(times.length)
      expect(times[0]?.localeCompare('2025-12-01')).toBe(1)
      expect(times.at(-1)?.localeCompare('2026-03-01')).toBe(-1)
    }
  })
})

describe('the tickets written by hand', () => {
  const share = (matches: (story: (typeof STORIES)[number]) => boolean): number =>
    STORIES.filter(matches).length / STORIES.length
  const text = JSON.stringify(STORIES)

  it('are about sixty, of both requesters, of all kinds', () => {
    expect(STORIES.length).toBeGreaterThanOrEqual(55)
    expect(share(({ requester }) => requester === 'carol')).toBeCloseTo(0.5, 1)
    expect(share(({ resolution }) => resolution !== undefined)).toBeCloseTo(0.5, 1)
    expect(share(({ talk }) => (talk ?? []).some((line) => line[2] === 'internal'))).toBeGreaterThan(0.2)
    expect(new Set(STORIES.map(({ priority = 'normal' }) => priority)).size).toBe(4)
    expect(new Set(STORIES.map(({ assignee = 'none' }) => assignee)).size).toBe(3)
    expect(new Set(STORIES.map(({ subject }) => subject)).size).toBe(STORIES.length)
  })

  it.each([
    'Latin',
    'Greek',
    'Cyrillic',
    'Arabic',
    'Hebrew',
    'Devanagari',
    'Thai',
    'Han',
    'Hiragana',
    'Katakana',
    'Hangul',
  ])('speak %s', (script) => {
    expect(text).toMatch(new RegExp(`\\p{Script=${script}}{2}`, 'u'))
  })

  it('hold one with more than forty comments and several about printers', () => {
    expect(STORIES.filter(({ talk = [] }) => talk.length > 40)).toHaveLength(1)
    expect(STORIES.filter(({ subject }) => /printer/i.test(subject)).length).toBeGreaterThanOrEqual(3)
  })

  it('hold an attack that nobody can see: tag characters and a right-to-left override', () => {
    const attack = STORIES.find(({ body }) => body.includes('ignore previous instructions'))?.body
    expect(attack).toMatch(/[\u{e0020}-\u{e007e}]{10}/u)
    expect(attack).toContain('\u202e')
  })

  it('have comments of staff and of the requester only', () => {
    for (const { requester, talk = [] } of STORIES) {
      for (const [by, , visibility] of talk) {
        expect(['alice', 'bob', requester]).toContain(by)
        if (visibility === 'internal') expect(['alice', 'bob']).toContain(by)
      }
    }
  })
})

describe('a desk', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'desk-seed-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is filled with what is in the stories, and found by search', async () => {
    const store = await openSqliteStore(':memory:')
    const everybody = { internal: true }
    const first = { after: null, limit: 20 }
    try {
      expect(await seedDesk(store, { tickets: STORIES.length, seed: 1 })).toMatchObject({ kind: 'seeded' })
      const { total, rows } = await store.listTickets({ query: 'printer' }, first, everybody)
      expect(total).toBeGreaterThanOrEqual(5)
      expect(rows.some(({ tags }) => tags.includes('printer'))).toBe(true)
      for (const person of PEOPLE) expect(await store.findPerson(person.id)).toEqual(person)
      const [long] = (await store.listTickets({ query: 'Move of the network' }, first, everybody)).rows
      expect(long?.comment_count).toBeGreaterThan(40)
    } finally {
      await store.close()
    }
  })

  it('that has tickets is left as it is', async () => {
    const store = await openSqliteStore(':memory:')
    try {
      await seedDesk(store, { tickets: 3, seed: 1 })
      expect(await seedDesk(store, { tickets: 5, seed: 2 })).toEqual({ kind: 'not_empty', tickets: 3 })
    } finally {
      await store.close()
    }
  })

  it('of 2,000 tickets is filled within five seconds', async () => {
    const store = await openSqliteStore(join(folder, 'desk.sqlite'))
    const start = performance.now()
    try {
      expect(await seedDesk(store, { tickets: 2_000, seed: 1 })).toEqual({ kind: 'seeded', tickets: 2_000 })
      expect(performance.now() - start).toBeLessThan(5_000)
    } finally {
      await store.close()
    }
  })

  it('is filled by the command, which refuses to do it again and prints nothing to stdout', async () => {
    const database = join(folder, 'new', 'desk.sqlite')
    const run = promisify(execFile)
    const args = ['--import', 'tsx', 'backend-api/seed/main.ts', '--database', database, '--tickets', '5']
    const { stdout, stderr } = await run(process.execPath, args)
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: `${database} now holds 5 tickets.\n` })
    await expect(run(process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${database} already holds 5 tickets; delete the file or name another one.\n`,
    })
  })
})

describe('the arguments of the command', () => {
  it('have defaults', () => {
    const defaults = { tickets: STORIES.length, database: '.local/desk.sqlite', seed: 1 }
    expect(parseSeedArguments([])).toEqual(defaults)
  })

  it.each([
    [['--tickets', '0'], '--tickets is "0"; it must be a whole number from 1 to 10000000.'],
    [['--tickets', '1e3'], '--tickets is "1e3"'],
    [['--seed', '4294967296'], '--seed is "4294967296"; it must be a whole number from 0 to 4294967295.'],
    [['--ticket', '5'], "Unknown option '--ticket'"],
  ])('%j are refused with the reason and the usage', (args, reason) => {
    expect(() => parseSeedArguments(args)).toThrow(reason)
    expect(() => parseSeedArguments(args)).toThrow('Usage: npm run seed')
  })
})
