// Token buckets in Redis, the same for all replicas; without Redis those of this process, until it is back.
import type { RedisConnection } from './redis.ts'
import type { TakeTokens } from './token-bucket.ts'

/** Redis takes a fraction of a millisecond; a call that waits for so long counts alone. */
const REDIS_TIMEOUT_MS = 100
const KEY_PREFIX = 'desk-gateway'
/** A Redis that hangs costs one call its time-out; the others of the next second do not try. */
const REDIS_REST_MS = 1_000

export interface SharedTokenBucketsOptions {
  readonly connection: RedisConnection
  /** The buckets that stand in. */
  readonly alone: TakeTokens
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told when buckets are not shared, first or again, and when they are; with the reason where Redis gave one. */
  readonly onShared: (shared: boolean, reason?: string) => void
}

export function createSharedTokenBuckets(options: SharedTokenBucketsOptions): TakeTokens {
  const { connection, alone, now, onShared } = options
  const { redis, opened } = connection
  let shared: boolean | undefined
  let restsUntil = 0
  const tell = (is: boolean, reason?: string) => {
    if (shared !== is) onShared(is, reason)
    shared = is
  }
  redis.on('ready', () => {
    restsUntil = 0
    tell(true)
  })
  redis.on('reconnecting', () => {
    tell(false)
  })
  return async (key, sizes) => {
    await opened
    if (now() < restsUntil) return alone(key, sizes)
    try {
      const taken = redis.takeTokens(`${KEY_PREFIX}:${key}`, sizes.ceiling, sizes.limit)
      const [ceilingMs, limitMs] = await inTime(taken)
      tell(true)
      return { ceilingMs, limitMs }
    } catch (error) {
      restsUntil = now() + REDIS_REST_MS
      // Such as a Redis that is there and full, read-only, or does not allow scripts.
      tell(false, (error as Error).message)
      return alone(key, sizes)
    }
  }
}

/** Rejects when the answer takes too long. A stall of this process is not Redis being slow: what has arrived is read first. */
function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, new Error('Redis is slow.')), REDIS_TIMEOUT_MS)
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}
