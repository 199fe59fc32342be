import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../../backend-api/store/sqlite/store.ts'

const NOW = new Date('2026-03-02T09:00:00.000Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const entry = (id: string, more: object = {}) => ({
  model: 'Session',
  id,
  payload: `{"id":"${id}"}`,
  grantId: null,
  uid: null,
  accountId: null,
  expiresAt: later(60),
  ...more,
})

let store: SqliteStore
beforeAll(async () => {
  store = await openSqliteStore(':memory:')
})
afterAll(() => store.close())

describe('the state of the authorization server', () => {
  test('keeps models apart, and an entry until it expires', async () => {
    await store.identity.put(entry('a', { uid: 'u' }), NOW)
    expect(await store.identity.find('Session', 'a', NOW)).toEqual({
      payload: '{"id":"a"}',
      consumedAt: undefined,
    })
    expect(await store.identity.findByUid('Session', 'u', NOW)).toMatchObject({ payload: '{"id":"a"}' })
    expect(await store.identity.find('Grant', 'a', NOW)).toBeUndefined()
    expect(await store.identity.findByUid('Grant', 'u', NOW)).toBeUndefined()
    expect(await store.identity.find('Session', 'a', later(60))).toBeUndefined()
  })

  test('lets one be the first to consume an entry', async () => {
    await store.identity.put(entry('once'), NOW)
    const winners = await Promise.all(
      Array.from({ length: 10 }, () => store.identity.consume('Session', 'once', NOW)),
    )
    expect(winners.filter(Boolean)).toHaveLength(1)
    expect(await store.identity.find('Session', 'once', NOW)).toMatchObject({ consumedAt: NOW })
  })

  test('removes what belongs to a grant, of one model or of all', async () => {
    await store.identity.put(entry('g', { grantId: 'g1' }), NOW)
    await store.identity.put(entry('g', { model: 'Code', grantId: 'g1' }), NOW)
    await store.identity.put(entry('h', { grantId: 'g2' }), NOW)
    await store.identity.removeByGrant('g1', 'Code')
    expect(await store.identity.find('Code', 'g', NOW)).toBeUndefined()
    expect(await store.identity.find('Session', 'g', NOW)).toBeDefined()
    await store.identity.removeByGrant('g1')
    expect(await store.identity.find('Session', 'g', NOW)).toBeUndefined()
    expect(await store.identity.find('Session', 'h', NOW)).toBeDefined()
  })

  test('extends a life and never shortens it', async () => {
    await store.identity.put(entry('long'), NOW)
    await store.identity.extend('Session', 'long', later(120))
    await store.identity.extend('Session', 'long', later(10))
    expect(await store.identity.find('Session', 'long', later(119))).toBeDefined()
  })

  test('drops expired entries as new ones come', async () => {
    const own = await openSqliteStore(':memory:')
    await own.identity.put(entry('old', { expiresAt: later(1) }), NOW)
    await own.identity.put(entry('new', { expiresAt: later(100) }), later(2))
    // As if the clock went back: it would be found if it were still there.
    expect(await own.identity.find('Session', 'old', NOW)).toBeUndefined()
    await own.close()
  })

  test('keeps 10,000 of a model, those that last longest', async () => {
    const own = await openSqliteStore(':memory:')
    for (let n = 1; n <= 10_100; n += 1)
      await own.identity.put(entry(String(n), { expiresAt: later(n) }), NOW)
    const kept = async (n: number) => (await own.identity.find('Session', String(n), NOW)) !== undefined
    expect(await Promise.all([1, 100, 101, 10_100].map(kept))).toEqual([false, false, true, true])
    await own.close()
  }, 60_000)
})
