// How often was a key used in its current window? In this process, or for all replicas in Redis. Knows no caller and no tool.
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible'
import type { RedisConnection } from './redis.ts'

/** Windows alone let twice the limit through at their edge, so a short one lies across the edges of the long one. */
const WINDOWS_S = [60, 10] as const
const MAX_KEYS = 20_000
const KEY_PREFIX = 'desk-gateway'
/** A Redis that hangs costs one call its time-out; the others of the next second do not try. */
const REDIS_REST_MS = 1_000
/** The counters count; what is too much is decided by whoever asks, so that one count serves several limits. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** One window of a key: uses so far with this one, and the time until it ends. */
export interface Count {
  readonly used: number
  readonly endsInMs: number
}

/** Counts one use of the key in each window. Never rejects. */
export type Counter = (key: string) => Promise<readonly Count[]>

/** Counts in this process, the 20,000 keys that were used last. */
export function createMemoryCounter(): Counter {
  const limiters = WINDOWS_S.map((duration) => new RateLimiterMemory({ points: NO_LIMIT, duration }))
  const touch = forgetOldKeys(limiters)
  return (key) => {
    touch(key)
    return countIn(limiters, key)
  }
}

export interface SharedCounterOptions {
  readonly connection: RedisConnection
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told when counts stop being shared, and when they are again. */
  readonly onShared: (shared: boolean) => void
}

/** Counts in Redis, in one step for all replicas; without Redis in this process, until it is back. */
export function createSharedCounter({ connection, now, onShared }: SharedCounterOptions): Counter {
  const alone = createMemoryCounter()
  const limiters = WINDOWS_S.map((duration) => {
    const keyPrefix = `${KEY_PREFIX}:${duration}`
    return new RateLimiterRedis({ storeClient: connection.redis, points: NO_LIMIT, duration, keyPrefix })
  })
  let shared = true
  let restsUntil = 0
  const tell = (is: boolean) => {
    if (shared !== is) onShared(is)
    shared = is
  }
  return async (key) => {
    await connection.opened
    if (now() < restsUntil) return alone(key)
    try {
      const counts = await countIn(limiters, key)
      tell(true)
      return counts
    } catch {
      restsUntil = now() + REDIS_REST_MS
      tell(false)
      return alone(key)
    }
  }
}

/** The library keeps every key until its window ends. Returns what to call with a key before it is used. */
export function forgetOldKeys(limiters: readonly RateLimiterMemory[]): (key: string) => void {
  const recent = new LRUCache<string, true>({
    max: MAX_KEYS,
    dispose: (_value, key) => {
      for (const limiter of limiters) void limiter.delete(key)
    },
  })
  return (key) => {
    if (recent.get(key) === undefined) recent.set(key, true)
  }
}

async function countIn(limiters: readonly RateLimiterAbstract[], key: string): Promise<readonly Count[]> {
  const counted = await Promise.all(limiters.map((limiter) => limiter.consume(key)))
  return counted.map(({ consumedPoints, msBeforeNext }) => ({ used: consumedPoints, endsInMs: msBeforeNext }))
}
