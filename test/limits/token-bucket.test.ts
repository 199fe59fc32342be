// Buckets of tokens: full at first, filled evenly, each key by itself, and no more keys than the bound.
import { describe, expect, it } from 'vitest'
import { createRateLimits } from '../../src/gateway/limits/rate-limits.ts'
import { createTokenBuckets, type BucketSizes, type Waits } from '../../src/gateway/limits/token-bucket.ts'

const CALLER = {
  subject: 'alice',
  clientId: 'client',
  scopes: new Set<string>(),
  roles: [],
  name: undefined,
  token: '',
  actor: undefined,
  expiresAt: 0,
}
const LIMITS = { reads: 2, writes: 2, exports: 2 }
const TAKEN: Waits = { ceilingMs: 0, limitMs: 0 }

/** Buckets under a clock that stands still unless it is set. */
function buckets() {
  const clock = { ms: 5_000 }
  const take = createTokenBuckets(() => clock.ms)
  const passed = async (calls: number, sizes: BucketSizes) => {
    let count = 0
    for (let call = 0; call < calls; call++) if ((await take('key', sizes)).limitMs === 0) count++
    return count
  }
  return { clock, take, passed }
}

describe('A bucket', () => {
  it.each([1, 7, 10, 3_000])('of %d lets so many pass at once and then none', async (limit) => {
    expect(await buckets().passed(limit * 2, { limit, ceiling: limit * 4 })).toBe(limit)
  })

  it('fills evenly: half of it in half a minute, all of it in one, and no more than that', async () => {
    const { clock, take, passed } = buckets()
    const sizes = { limit: 10, ceiling: 1_000 }
    await passed(20, sizes)
    expect((await take('key', sizes)).limitMs).toBeCloseTo(6_000)
    clock.ms += 30_000
    expect(await passed(20, sizes)).toBe(5)
    clock.ms += 10 * 60_000
    expect(await passed(20, sizes)).toBe(10)
  })

  it('lets no more through in any stretch of time than what it holds and what fills it meanwhile', async () => {
    const { clock, take } = buckets()
    const passes: number[] = []
    for (; clock.ms < 400_000; clock.ms += 130 + ((clock.ms * 7_919) % 900))
      if ((await take('key', { limit: 10, ceiling: 1_000 })).limitMs === 0) passes.push(clock.ms)
    expect(passes.length).toBeGreaterThan(60)
    for (const [index, from] of passes.entries())
      for (const [further, to] of passes.slice(index).entries())
        expect(further + 1).toBeLessThanOrEqual(10 + ((to - from) / 60_000) * 10 + 1e-6)
  })

  it('of the ceiling is paid by what the limit refuses too, and then nothing is paid', async () => {
    const { clock, take } = buckets()
    const sizes = { limit: 1, ceiling: 3 }
    expect(await take('key', sizes)).toEqual(TAKEN)
    for (let call = 0; call < 2; call++)
      expect(await take('key', sizes)).toEqual({ ceilingMs: 0, limitMs: 60_000 })
    for (let call = 0; call < 9; call++)
      expect(await take('key', sizes)).toEqual({ ceilingMs: 20_000, limitMs: 60_000 })
    clock.ms += 60_000
    expect(await take('key', sizes)).toEqual(TAKEN)
  })

  it('of nothing never has a token, and a smaller or larger one counts from the next call on', async () => {
    const { take, passed } = buckets()
    expect(await take('key', { limit: 0, ceiling: 4 })).toEqual({ ceilingMs: 0, limitMs: 60_000 })
    expect(await passed(20, { limit: 10, ceiling: 1_000 })).toBe(10)
    expect(await passed(20, { limit: 15, ceiling: 1_000 })).toBe(5)
    expect((await take('key', { limit: 2, ceiling: 1_000 })).limitMs).toBe(30_000)
  })
})

describe('Buckets', () => {
  it('are kept of no more than 20,000 keys, those used last', async () => {
    const { take } = buckets()
    const sizes = { limit: 1, ceiling: 1_000 }
    await take('first', sizes)
    for (let key = 0; key < 19_999; key++) await take(`key ${key}`, sizes)
    expect((await take('first', sizes)).limitMs).toBeGreaterThan(0)
    for (let key = 0; key < 20_000; key++) await take(`other ${key}`, sizes)
    expect((await take('first', sizes)).limitMs).toBe(0)
  })
})

describe('Limits', () => {
  it('tell when a call would be served, also past the ceiling', async () => {
    const waits = { ceilingMs: 0, limitMs: 4_200 }
    const permit = createRateLimits({
      limitsOf: () => LIMITS,
      hardFactor: 2,
      takeTokens: () => Promise.resolve(waits),
    })
    expect(await permit('reads', CALLER)).toEqual({ kind: 'over_limit', retryAfterS: 5 })
    waits.ceilingMs = 70
    expect(await permit('reads', CALLER)).toEqual({
      kind: 'over_ceiling',
      retryAfterS: 5,
      budget: 'reads',
      limitPerMinute: 2,
    })
  })

  it('are those of the caller', async () => {
    const permit = createRateLimits({
      limitsOf: ({ subject }) => (subject === 'alice' ? LIMITS : { ...LIMITS, reads: 1 }),
      hardFactor: 10,
      takeTokens: buckets().take,
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
