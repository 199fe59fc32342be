// Metrics of what guards the service: limits, bulkhead, breaker, retries.
import { Counter, Gauge, type Registry } from 'prom-client'

/** Why a call was not let through to the service; each is a failure code too, but for the ceiling, which is HTTP 429. */
export const REJECTIONS = ['over_limit', 'over_ceiling', 'client_busy', 'overloaded', 'breaker_open'] as const
export type Rejection = (typeof REJECTIONS)[number]

export interface GuardMetrics {
  /** Counts a call that was not let through, by the tool's full name or `other`. */
  readonly rejected: (tool: string, reason: Rejection) => void
  /** Whether limits are shared with other replicas just now. */
  readonly limitsShared: (shared: boolean) => void
  readonly breakerOpen: (open: boolean) => void
  /** Counts one repeated request to the service. */
  readonly retried: () => void
}

/** `tools` are all label values that tools have. */
export function createGuardMetrics(registry: Registry, tools: readonly string[]): GuardMetrics {
  const rejections = new Counter({
    name: 'desk_gateway_rejections_total',
    help: 'Calls that were not let through to the service, by tool and reason.',
    labelNames: ['gen_ai_tool_name', 'reason'] as const,
    registers: [registry],
  })
  const shared = new Gauge({
    name: 'desk_gateway_limits_shared',
    help: '1 while limits are shared over Redis, 0 while each replica counts alone.',
    registers: [registry],
  })
  const breaker = new Gauge({
    name: 'desk_gateway_breaker_open',
    help: '1 while calls are not passed on because the ticket service fails.',
    registers: [registry],
  })
  const retries = new Counter({
    name: 'desk_gateway_backend_retries_total',
    help: 'Requests to the ticket service that were repeated.',
    registers: [registry],
  })
  for (const gen_ai_tool_name of tools)
    for (const reason of REJECTIONS) rejections.inc({ gen_ai_tool_name, reason }, 0)
  return {
    rejected: (gen_ai_tool_name, reason) => {
      rejections.inc({ gen_ai_tool_name, reason })
    },
    limitsShared: (is) => {
      shared.set(is ? 1 : 0)
    },
    breakerOpen: (is) => {
      breaker.set(is ? 1 : 0)
    },
    retried: () => {
      retries.inc()
    },
  }
}
