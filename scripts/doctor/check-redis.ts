// Can limits be shared? Asked over the gateway's own kind of connection, with its short waits.

import { once } from 'node:events'
import { connectRedis } from '../../src/gateway/limits/redis.ts'
import type { DoctorContext } from './context.ts'
import { ok, skipped, wrong, type Finding } from './finding.ts'

const CONNECT_TIMEOUT_MS = 1_000
/** Half of what the gateway waits for a command before it counts alone. */
const SLOW_MS = 50
/** The other checks run at the same time and may hold one ping up, hardly the best of three. */
const PINGS = 3

export async function checkRedis({ config }: DoctorContext): Promise<Finding> {
  if (config.redisUrl === undefined) return skipped('REDIS_URL is not set; each replica counts alone')
  const { host } = new URL(config.redisUrl)
  const { redis } = connectRedis(config.redisUrl, () => undefined)
  try {
    if (redis.status !== 'ready')
      await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    const ms = await bestPingMs(() => redis.ping())
    if (ms > SLOW_MS)
      return wrong(
        `Redis at ${host} took ${ms} ms`,
        'Bring it nearer: past 100 ms each replica counts alone.',
      )
    return ok(`Redis at ${host} answers in ${ms} ms`)
  } catch {
    return wrong(
      `Redis at ${host} does not answer, or refuses the password`,
      'Start it, or correct REDIS_URL; until then each replica counts alone.',
    )
  } finally {
    redis.disconnect()
  }
}

async function bestPingMs(ping: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let turn = 0; turn < PINGS; turn++) {
    const startedAt = performance.now()
    await ping()
    best = Math.min(best, Math.ceil(performance.now() - startedAt))
  }
  return best
}
