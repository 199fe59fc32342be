// The door to the ticket service as configured, with what guards it.
import type { Logger } from 'pino'
import { createBackend, type Backend } from './backend/backend.ts'
import { createBreaker } from './backend/breaker.ts'
import type { CredentialsWatch } from './backend/credentials-cache.ts'
import type { Issuer } from './backend/issuer.ts'
import { createPool } from './backend/pool-request.ts'
import { createRetry } from './backend/retry.ts'
import type { ServiceCredentials } from './backend/service-credentials.ts'
import { createTokenExchange } from './backend/token-exchange.ts'
import { createUserAssertion } from './backend/user-assertion.ts'
import type { Config } from './config.ts'
import type { Metrics } from './telemetry/metrics.ts'

export interface TicketService {
  readonly backend: Backend
  readonly credentials: ServiceCredentials
  /** Closes the connections. */
  readonly close: () => Promise<void>
}

export function connectTicketService(
  config: Config,
  issuer: Issuer,
  metrics: Metrics,
  log: Logger,
): TicketService {
  const pool = createPool(config.backendUrl.origin)
  const watch = { onLookup: metrics.exchangeCache, onExchange: metrics.exchanged }
  const credentials = credentialsOf(config, issuer, watch)
  const backend = createBackend({
    pool,
    basePath: config.backendUrl.pathname.replace(/\/$/, ''),
    credentials,
    breaker: createBreaker((open) => {
      metrics.breakerOpen(open)
      log.warn({ open }, 'breaker of the ticket service')
    }),
    retry: createRetry(Math.random),
    now: Date.now,
    onCredentialFault: (detail, request_id) => {
      log.error({ request_id, detail }, 'the gateway gets no access to the ticket service')
    },
  })
  return { backend, credentials, close: () => pool.close() }
}

function credentialsOf(config: Config, issuer: Issuer, watch: CredentialsWatch): ServiceCredentials {
  const { clientId, clientSecret, backendAudience: resource, assertionKey: key } = config
  const client = { issuer, clientId, clientSecret }
  if (key) return createUserAssertion({ client, resource, key, now: Date.now, watch })
  return createTokenExchange(client, resource, watch)
}
