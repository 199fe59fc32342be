// The connection to Redis for shared limits, set so that a Redis that is gone is noticed at once.
import { Redis, type Result } from 'ioredis'
import { TAKE_TOKENS_LUA } from './token-bucket.ts'

/** The first calls wait no longer than this for a connection. */
const OPEN_TIMEOUT_MS = 100
const CONNECT_TIMEOUT_MS = 500
/** Commands that a hanging Redis does not answer are kept until their connection is given up. */
const SILENCE_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 1_000

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Milliseconds until the buckets of ceiling and limit have a token. */
    takeTokens(key: string, ceiling: number, limit: number): Result<[number, number], Context>
  }
}

export interface RedisConnection {
  readonly redis: Redis
  /** Resolves when the first attempt has come to something, at the latest after 100 ms. */
  readonly opened: Promise<void>
}

/** Connects in the background and again whenever the connection is lost; a command without a connection fails at once. */
export function connectRedis(url: string, onError: (error: Error) => void): RedisConnection {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  })
  redis.defineCommand('takeTokens', { numberOfKeys: 1, lua: TAKE_TOKENS_LUA })
  redis.on('error', onError)
  const opened = new Promise<void>((resolve) => {
    redis.once('ready', resolve).once('error', resolve)
    setTimeout(resolve, OPEN_TIMEOUT_MS).unref()
  })
  return { redis, opened }
}
