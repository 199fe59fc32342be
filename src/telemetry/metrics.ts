// Metrics under OpenTelemetry's names for MCP. Label values come from closed sets, and every child exists before traffic.
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { createGuardMetrics, REJECTIONS, type GuardMetrics } from './guard-metrics.ts'
import type { CallRecord } from '../tools/run-tool.ts'

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

export interface Metrics extends GuardMetrics {
  readonly registry: Registry
  /** Counts one tool call. */
  observe(record: CallRecord): void
}

/** `tools` are the full names of the catalogue; any other name counts as `other`. */
export function createMetrics(tools: readonly string[]): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Duration of tool calls, by tool and failure class; error_type is empty for successes.',
    labelNames: ['mcp_method_name', 'gen_ai_tool_name', 'error_type'] as const,
    buckets: SECONDS,
    registers: [registry],
  })
  const drift = new Counter({
    name: 'desk_gateway_backend_drift_total',
    help: 'Replies that left the contract in a way that did no harm, by tool.',
    labelNames: ['gen_ai_tool_name'] as const,
    registers: [registry],
  })
  const removed = new Counter({
    name: 'desk_gateway_removed_characters_total',
    help: 'Invisible characters removed from results, by tool.',
    labelNames: ['gen_ai_tool_name'] as const,
    registers: [registry],
  })
  const guards = createGuardMetrics(registry, [...tools, 'other'])
  const children = new Map(
    [...tools, 'other'].map((tool) => [
      tool,
      {
        ok: duration.labels('tools/call', tool, ''),
        drift: drift.labels(tool),
        removed: removed.labels(tool),
      },
    ]),
  )
  for (const [tool, child] of children) {
    // A child that nothing was written to does not exist yet, and a rate over it would miss its first event.
    duration.zero({ mcp_method_name: 'tools/call', gen_ai_tool_name: tool, error_type: '' })
    child.drift.inc(0)
    child.removed.inc(0)
  }
  return {
    ...guards,
    registry,
    observe({ tool, errorClass, errorCode, seconds, drifted, removedCharacters }) {
      const child = children.get(tool)
      if (!child) return
      if (errorClass === undefined) child.ok.observe(seconds)
      else duration.labels('tools/call', tool, errorClass).observe(seconds)
      const reason = REJECTIONS.find((name) => name === errorCode)
      if (reason) guards.rejected(tool, reason)
      if (drifted) child.drift.inc()
      if (removedCharacters > 0) child.removed.inc(removedCharacters)
    },
  }
}
