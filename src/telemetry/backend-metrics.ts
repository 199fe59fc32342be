// Metrics of the way to the ticket service: requests, retries, breaker, token exchange.
import { Gauge } from 'prom-client'
import { registry as tools } from '../tools/registry.ts'
import { combinationsOf, createCounter, createDurations, type MetricsRegistry } from './instruments.ts'

const OPERATIONS = [...new Set(tools.map(({ operation }): string => operation))]
/** What ordinary operation and an ordinary outage bring; the rest breaks the contract or is nobody's fault. */
const EXPECTED_OUTCOMES = ['2xx', '4xx', '5xx', 'connection', 'timeout'] as const
export const REQUEST_OUTCOMES = [...EXPECTED_OUTCOMES, '3xx', 'unreadable', 'cancelled', 'other'] as const
const EXCHANGE_OUTCOMES = ['granted', 'subject_refused', 'issuer_unavailable'] as const
const LOOKUPS = ['hit', 'miss'] as const

export interface BackendMetrics {
  /** One attempt of an operation: the class of the status that came back, or why none did. */
  readonly backendAttempt: (operation: string, outcome: string, seconds: number, traceId?: string) => void
  /** Counts one repeated request. */
  readonly retried: (operation: string) => void
  /** May be told the same twice. */
  readonly breakerOpen: (open: boolean) => void
  readonly exchanged: (outcome: (typeof EXCHANGE_OUTCOMES)[number], seconds: number) => void
  readonly exchangeCache: (result: (typeof LOOKUPS)[number]) => void
}

export function createBackendMetrics(registry: MetricsRegistry): BackendMetrics {
  const requests = createDurations(registry, {
    name: 'desk_gateway_backend_request_duration_seconds',
    help: 'How long requests to the ticket service take, each attempt by itself: the class of the status, or why there was none.',
    labels: { operation: OPERATIONS, outcome: REQUEST_OUTCOMES },
    atStart: combinationsOf({ operation: OPERATIONS, outcome: EXPECTED_OUTCOMES }),
  })
  const retries = createCounter(registry, {
    name: 'desk_gateway_backend_retries_total',
    help: 'Requests to the ticket service that were repeated.',
    labels: { operation: OPERATIONS },
  })
  const exchanges = createDurations(registry, {
    name: 'desk_gateway_exchange_duration_seconds',
    help: 'How long the issuer takes to give a token for the ticket service; subject_refused: it does not accept the token of the caller.',
    labels: { outcome: EXCHANGE_OUTCOMES },
  })
  const lookups = createCounter(registry, {
    name: 'desk_gateway_exchange_cache_total',
    help: 'Look-ups of tokens for the ticket service: kept (hit) or to be asked for (miss).',
    labels: { result: LOOKUPS },
  })
  return {
    backendAttempt: (operation, outcome, seconds, traceId) => {
      requests({ operation, outcome }, seconds, traceId)
    },
    retried: (operation) => {
      retries({ operation })
    },
    breakerOpen: createBreakerMetrics(registry),
    exchanged: (outcome, seconds) => {
      exchanges({ outcome }, seconds)
    },
    exchangeCache: (result) => {
      lookups({ result })
    },
  }
}

function createBreakerMetrics(registry: MetricsRegistry): BackendMetrics['breakerOpen'] {
  const state = new Gauge({
    name: 'desk_gateway_breaker_open',
    help: '1 while calls are not passed on because the ticket service fails.',
    registers: [registry],
  })
  const opened = createCounter(registry, {
    name: 'desk_gateway_breaker_opened_total',
    help: 'How often the breaker has opened. A trial that fails does not open it again.',
    labels: {},
  })
  let isOpen = false
  return (open) => {
    if (open && !isOpen) opened({})
    isOpen = open
    state.set(open ? 1 : 0)
  }
}
