// Token buckets by key: how long until a call would find a token? Knows no caller, no tool and no store.
import { LRUCache } from 'lru-cache'

/** A bucket that is empty is full again after this time; it fills evenly. */
const FILL_MS = 60_000
/** Some 200 bytes each. */
const MAX_KEYS = 20_000

/** Tokens that the two buckets of a key hold when they are full. */
export interface BucketSizes {
  readonly ceiling: number
  readonly limit: number
}

/** Milliseconds until each bucket has a token, at most a minute; 0 where it has one. */
export interface Waits {
  readonly ceilingMs: number
  readonly limitMs: number
}

/**
 * A call takes a token from the ceiling's bucket, and if there was one, another from the limit's. What the limit
 * refuses still counts towards the ceiling; what the ceiling refuses counts nowhere. Never rejects.
 */
export type TakeTokens = (key: string, sizes: BucketSizes) => Promise<Waits>

/** Tokens that are missing from the buckets of a key, and since when they fill. */
interface Missing {
  readonly at: number
  readonly ceiling: number
  readonly limit: number
}

/** Buckets in this process, of the 20,000 keys that were used last. `now` is in milliseconds and never goes back. */
export function createTokenBuckets(now: () => number): TakeTokens {
  const buckets = new LRUCache<string, Missing>({ max: MAX_KEYS })
  return (key, sizes) => {
    const at = now()
    const { missing, waits } = take(buckets.get(key) ?? { at, ceiling: 0, limit: 0 }, sizes, at)
    buckets.set(key, missing)
    return Promise.resolve(waits)
  }
}

function take(was: Missing, sizes: BucketSizes, at: number): { missing: Missing; waits: Waits } {
  const filled = (at - was.at) / FILL_MS
  const missing = (tokens: number, size: number) => Math.min(size, Math.max(0, tokens - filled * size))
  const wait = (tokens: number, size: number) =>
    Math.min(FILL_MS, Math.max(0, ((tokens + 1 - size) / size) * FILL_MS))
  const ceiling = missing(was.ceiling, sizes.ceiling)
  const limit = missing(was.limit, sizes.limit)
  const waits = { ceilingMs: wait(ceiling, sizes.ceiling), limitMs: wait(limit, sizes.limit) }
  const passesCeiling = waits.ceilingMs === 0
  const passesLimit = passesCeiling && waits.limitMs === 0
  return {
    missing: { at, ceiling: ceiling + Number(passesCeiling), limit: limit + Number(passesLimit) },
    waits,
  }
}

/** `take` for Redis, which runs a script as one step: KEYS are the key, ARGV the sizes of ceiling and limit. */
export const TAKE_TOKENS_LUA = `
local time = redis.call('TIME')
local at = time[1] * 1000 + time[2] / 1000
local was = redis.call('HMGET', KEYS[1], 'at', 'ceiling', 'limit')
local filled = math.max(0, at - (was[1] or at)) / ${FILL_MS}
local function look(held, size)
  local missing = math.min(size, math.max(0, (held or 0) - filled * size))
  return missing, math.min(${FILL_MS}, math.max(0, (missing + 1 - size) / size * ${FILL_MS}))
end
local ceiling, ceiling_ms = look(was[2], tonumber(ARGV[1]))
local limit, limit_ms = look(was[3], tonumber(ARGV[2]))
if ceiling_ms == 0 then ceiling = ceiling + 1 end
if ceiling_ms == 0 and limit_ms == 0 then limit = limit + 1 end
redis.call('HSET', KEYS[1], 'at', at, 'ceiling', ceiling, 'limit', limit)
redis.call('PEXPIRE', KEYS[1], ${FILL_MS})
return { math.ceil(ceiling_ms), math.ceil(limit_ms) }
`
