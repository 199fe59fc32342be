// Metrics of what decides whether a call gets through to the service: limits, queue, audit.
import { Gauge } from 'prom-client'
import { createCounter, createDurations, type MetricsRegistry } from './instruments.ts'

/** Why a call was not let through to the service; each is a failure code too, but for the ceiling, which is HTTP 429. */
const REJECTIONS = [
  'over_limit',
  'over_ceiling',
  'client_busy',
  'overloaded',
  'breaker_open',
  'audit_unavailable',
] as const
const QUEUE_OUTCOMES = ['entered', 'client_busy', 'overloaded', 'left'] as const
const AUDIT_RESULTS = ['written', 'failed'] as const

export interface GuardMetrics {
  /** Counts a call that was not let through, by the tool's full name or `other`; a code that is no such reason is not counted. */
  readonly rejected: (tool: string, reason: string) => void
  /** Whether limits are shared with other replicas just now; never told where they are not meant to be. */
  readonly limitsShared: (shared: boolean) => void
  /** How long a call waited for room, and how the wait ended. */
  readonly queued: (outcome: string, seconds: number, traceId?: string) => void
  readonly auditLine: (result: (typeof AUDIT_RESULTS)[number]) => void
}

/** `tools` are all label values that tools have. */
export function createGuardMetrics(registry: MetricsRegistry, tools: readonly string[]): GuardMetrics {
  const rejections = createCounter(registry, {
    name: 'desk_gateway_rejections_total',
    help: 'Tool calls that were not let through to the ticket service, by reason.',
    labels: { gen_ai_tool_name: tools, reason: REJECTIONS },
  })
  const shared = new Gauge({
    name: 'desk_gateway_limits_shared',
    help: '1 while limits are shared over Redis, 0 while this replica counts alone; absent without REDIS_URL.',
    registers: [registry],
  })
  // A 0 that nobody set would look like a Redis that is gone.
  shared.remove()
  const wait = createDurations(registry, {
    name: 'desk_gateway_queue_wait_seconds',
    help: 'How long tool calls waited for room: until they entered, were turned away because their client or the gateway is full, or their caller left.',
    labels: { outcome: QUEUE_OUTCOMES },
  })
  const auditLines = createCounter(registry, {
    name: 'desk_gateway_audit_lines_total',
    help: 'Lines of the audit log. While failed grows, writes may be refused.',
    labels: { result: AUDIT_RESULTS },
  })
  const reasons = new Set<string>(REJECTIONS)
  return {
    rejected: (gen_ai_tool_name, reason) => {
      if (reasons.has(reason)) rejections({ gen_ai_tool_name, reason })
    },
    limitsShared: (is) => {
      shared.set(is ? 1 : 0)
    },
    queued: (outcome, seconds, traceId) => {
      wait({ outcome }, seconds, traceId)
    },
    auditLine: (result) => {
      auditLines({ result })
    },
  }
}
