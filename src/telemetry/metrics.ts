// Metrics under OpenTelemetry's names for MCP and HTTP where it has one. What they all mean: grafana/METRICS.md.
import { Registry, collectDefaultMetrics } from 'prom-client'
import { createAccessMetrics, type AccessMetrics } from './access-metrics.ts'
import { createBackendMetrics, type BackendMetrics } from './backend-metrics.ts'
import { createGuardMetrics, type GuardMetrics } from './guard-metrics.ts'
import type { MetricsRegistry } from './instruments.ts'
import { createLimitDecisions, type LimitDecisions } from './limit-decisions.ts'
import { createLevelMetrics, type LevelMetrics } from './level-metrics.ts'
import { createOperationMetrics, type OperationMetrics } from './operation-metrics.ts'

export interface Metrics
  extends OperationMetrics, GuardMetrics, LimitDecisions, BackendMetrics, AccessMetrics, LevelMetrics {
  readonly registry: MetricsRegistry
}

/** `tools` are the full names of the catalogue; any other name counts as `other`. */
export function createMetrics(tools: readonly string[]): Metrics {
  const registry: MetricsRegistry = new Registry()
  // Before any metric is made, or exemplars are refused.
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  const labels = [...tools, 'other']
  const guards = createGuardMetrics(registry, labels)
  return {
    registry,
    ...createOperationMetrics(registry, labels, guards.rejected),
    ...guards,
    ...createLimitDecisions(registry),
    ...createBackendMetrics(registry),
    ...createAccessMetrics(registry),
    ...createLevelMetrics(registry),
  }
}
