// Rate limits as configured: counted in this process, or with `REDIS_URL` by all replicas together.
import type { Logger } from 'pino'
import type { Caller } from './backend/caller.ts'
import type { ClientPolicy } from './client-policy.ts'
import type { Config } from './config.ts'
import { createMemoryCounter, createSharedCounter } from './gateway/limits/counters.ts'
import { createRateLimits } from './gateway/limits/rate-limits.ts'
import { connectRedis } from './gateway/limits/redis.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { TakePermit } from './tools/admission.ts'

export interface ConfiguredLimits {
  readonly takePermit: TakePermit
  /** Ends the connection to Redis. */
  readonly close: () => void
}

/** The policy's limits for a client, where it has some, else those of the configuration. */
export function createLimits(
  config: Config,
  policy: ClientPolicy,
  metrics: Metrics,
  log: Logger,
): ConfiguredLimits {
  const rules = {
    limitsOf: ({ clientId }: Caller) => policy.limitsOf(clientId) ?? config.limits,
    hardFactor: config.limitHardFactor,
  }
  if (config.redisUrl === undefined)
    return {
      takePermit: createRateLimits({ ...rules, counter: createMemoryCounter() }),
      close: () => undefined,
    }
  const connection = connectRedis(config.redisUrl, ({ message }) => {
    log.debug({ reason: message }, 'Redis')
  })
  const onShared = (shared: boolean) => {
    metrics.limitsShared(shared)
    log.warn({ shared }, 'limits shared over Redis')
  }
  metrics.limitsShared(true)
  const counter = createSharedCounter({ connection, now: () => performance.now(), onShared })
  return {
    takePermit: createRateLimits({ ...rules, counter }),
    close: () => {
      connection.redis.disconnect()
    },
  }
}
