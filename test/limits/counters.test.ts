// Counting: each window by itself, each key by itself, and no more keys than the bound.
import { describe, expect, it } from 'vitest'
import { createMemoryCounter } from '../../src/gateway/limits/counters.ts'
import { createRateLimits } from '../../src/gateway/limits/rate-limits.ts'

const CALLER = {
  subject: 'alice',
  clientId: 'client',
  scopes: new Set<string>(),
  roles: [],
  name: undefined,
  token: '',
  expiresAt: 0,
}
const LIMITS = { reads: 2, writes: 2, exports: 2 }

describe('A counter', () => {
  it('counts in a long window and in a short one that lies across its edges', async () => {
    const count = createMemoryCounter()
    await count('a')
    const [long, short] = await count('a')
    expect([long?.used, short?.used]).toEqual([2, 2])
    expect(long?.endsInMs).toBeGreaterThan(50_000)
    expect(short?.endsInMs).toBeLessThanOrEqual(10_000)
  })

  it('keeps no more than 20,000 keys, those used last', async () => {
    const count = createMemoryCounter()
    await count('first')
    for (let key = 0; key < 19_999; key++) await count(`key ${key}`)
    expect((await count('first'))[0]?.used).toBe(2)
    for (let key = 0; key < 20_000; key++) await count(`other ${key}`)
    expect((await count('first'))[0]?.used).toBe(1)
  })
})

describe('Limits', () => {
  it('hold in every window: the wait lasts until none has more in it', async () => {
    const counts = [
      { used: 2, endsInMs: 30_000 },
      { used: 3, endsInMs: 4_200 },
    ]
    const options = { limitsOf: () => LIMITS, hardFactor: 2, counter: () => Promise.resolve(counts) }
    expect(await createRateLimits(options)('reads', CALLER)).toEqual({ kind: 'over_limit', retryAfterS: 5 })
    counts.push({ used: 5, endsInMs: 70 })
    expect(await createRateLimits(options)('reads', CALLER)).toMatchObject({
      kind: 'over_ceiling',
      retryAfterS: 1,
      limitPerMinute: 2,
    })
  })

  it('are those of the caller', async () => {
    const permit = createRateLimits({
      limitsOf: ({ subject }) => (subject === 'alice' ? LIMITS : { ...LIMITS, reads: 1 }),
      hardFactor: 10,
      counter: createMemoryCounter(),
    })
    const kinds = async (subject: string) => {
      const taken = [
        await permit('reads', { ...CALLER, subject }),
        await permit('reads', { ...CALLER, subject }),
      ]
      return taken.map(({ kind }) => kind)
    }
    expect(await kinds('alice')).toEqual(['allowed', 'allowed'])
    expect(await kinds('bob')).toEqual(['allowed', 'over_limit'])
  })
})
