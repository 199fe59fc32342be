// Who is let in, and how much of it, as configured: rate limits of this process, or with `REDIS_URL` of all replicas
// together, and room for so many calls at once.
import type { Logger } from 'pino'
import type { Caller } from './backend/caller.ts'
import type { ClientPolicy } from './client-policy.ts'
import type { Config } from './config.ts'
import { createBulkhead, type Bulkhead } from './gateway/limits/bulkhead.ts'
import { createRateLimits } from './gateway/limits/rate-limits.ts'
import { connectRedis } from './gateway/limits/redis.ts'
import { createSharedTokenBuckets } from './gateway/limits/shared-token-buckets.ts'
import { createTokenBuckets } from './gateway/limits/token-bucket.ts'
import { countLimitDecisions } from './telemetry/count-limit-decisions.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { TakePermit } from './tools/admission.ts'

export interface ConfiguredLimits extends Bulkhead {
  readonly takePermit: TakePermit
  /** Ends the connection to Redis. */
  readonly close: () => void
}

export function createLimits(
  config: Config,
  policy: ClientPolicy,
  metrics: Metrics,
  log: Logger,
): ConfiguredLimits {
  const { takeTokens, close } = createTokens(config, metrics, log)
  const takePermit = createRateLimits({
    takeTokens,
    // The policy's limits for a client, where it has some.
    limitsOf: ({ clientId }: Caller) => policy.limitsOf(clientId) ?? config.limits,
    hardFactor: config.limitHardFactor,
  })
  const bulkhead = createBulkhead({
    inFlight: config.maxCallsInFlight,
    inFlightPerClient: config.maxCallsInFlightPerClient,
  })
  return { takePermit: countLimitDecisions(takePermit, policy.limitClassOf, metrics), ...bulkhead, close }
}

function createTokens({ redisUrl }: Config, metrics: Metrics, log: Logger) {
  const now = () => performance.now()
  const alone = createTokenBuckets(now)
  if (redisUrl === undefined) return { takeTokens: alone, close: () => undefined }
  const connection = connectRedis(redisUrl, ({ message }) => {
    log.debug({ reason: message }, 'Redis')
  })
  metrics.limitsShared(false)
  const onShared = (shared: boolean, reason?: string) => {
    metrics.limitsShared(shared)
    log.warn({ shared, reason }, 'limits shared over Redis')
  }
  const takeTokens = createSharedTokenBuckets({ connection, alone, now, onShared })
  return {
    takeTokens,
    close: () => {
      connection.redis.disconnect()
    },
  }
}
