// All metrics of the ticket service in one registry. Label values come from closed sets: no caller can make a series.
import { Gauge, Registry, collectDefaultMetrics } from 'prom-client'
import type { OpenMetricsContentType } from 'prom-client'
import type { OpenMetricsRegistry } from './closed-labels.ts'
import { createDeskMetrics } from './desk-metrics.ts'
import type { DeskMetrics, DeskMetricsOptions } from './desk-metrics.ts'
import { createHttpMetrics } from './http-metrics.ts'
import type { HttpMetricsOptions, ObserveRequest } from './http-metrics.ts'
import { createIdentityMetrics } from './identity-metrics.ts'
import type { IdentityMetrics } from './identity-metrics.ts'

export interface Metrics {
  readonly registry: OpenMetricsRegistry
  readonly observeRequest: ObserveRequest
  readonly desk: DeskMetrics
  readonly identity: IdentityMetrics
}

export interface MetricsOptions extends HttpMetricsOptions, DeskMetricsOptions {
  /** Of this package, and of Node. */
  readonly version: string
  readonly nodeVersion: string
}

/** Once per process: it also watches the process itself. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { version, nodeVersion, contract } = options
  // Before any metric: only the OpenMetrics format carries exemplars.
  const registry: OpenMetricsRegistry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  showInfo(registry, 'desk_service_build_info', 'Always 1; the version of the ticket service and of Node.', {
    version,
    node_version: nodeVersion,
  })
  showInfo(registry, 'desk_service_contract_info', 'Always 1; the version of the REST contract.', {
    version: contract.version,
  })
  return {
    registry,
    observeRequest: createHttpMetrics(registry, options),
    desk: createDeskMetrics(registry, options),
    identity: createIdentityMetrics(registry),
  }
}

function showInfo(
  registry: OpenMetricsRegistry,
  name: string,
  help: string,
  labels: Readonly<Record<string, string>>,
): void {
  new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set({ ...labels }, 1)
}
