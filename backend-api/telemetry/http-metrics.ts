// Requests by method, route and status, under OpenTelemetry's name. Route is a template, so no id makes a series.
import { Histogram } from 'prom-client'
import type { Contract } from '../contract.ts'
import type { RequestRecord } from '../http/record-requests.ts'
import { IDENTITY_ROUTES } from '../identity/route-of.ts'
import type { OpenMetricsRegistry } from './closed-labels.ts'

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const METHODS = ['GET', 'POST']
/** What the service, the authorization server and Node itself answer; 499 is a client that left before the answer. */
const STATUSES = '200 201 204 303 304 400 401 403 404 405 406 408 409 413 415 422 429 431 499 500 503'.split(
  ' ',
)
const OTHER = 'other'

export interface HttpMetricsOptions {
  readonly contract: Contract
  /** Path of the embedded authorization server, where there is one. */
  readonly identityPath: string | undefined
}

/** Counts one request that is over. */
export type ObserveRequest = (
  record: Pick<RequestRecord, 'method' | 'route' | 'status' | 'seconds' | 'traceId'>,
) => void

export function createHttpMetrics(
  registry: OpenMetricsRegistry,
  { contract, identityPath }: HttpMetricsOptions,
): ObserveRequest {
  // Typed loosely, because the label of the exemplar is none of the metric's.
  const duration = new Histogram<string>({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP requests; that of /v1/events is how long the stream was open, and status 499 is a client that left first.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: SECONDS,
    enableExemplars: true,
    registers: [registry],
  })
  const routes = routesOf(contract, identityPath)
  const labelsOf = (method: string, route: string, status: string) => ({
    http_request_method: among(METHODS, method),
    http_route: routes.has(route) ? route : OTHER,
    http_response_status_code: among(STATUSES, status),
  })
  // All statuses of all routes would be thousands of series; these are the ones that rates and alerts begin with.
  for (const { method, route, successes } of contract.operations) {
    for (const status of [...successes, '500']) duration.zero(labelsOf(method.toUpperCase(), route, status))
  }
  return ({ method, route = OTHER, status, seconds, traceId }) => {
    duration.observe({
      labels: labelsOf(method, route, String(status)),
      value: seconds,
      ...(traceId !== undefined && { exemplarLabels: { trace_id: traceId } }),
    })
  }
}

function routesOf({ operations }: Contract, identityPath: string | undefined): ReadonlySet<string> {
  const identity = identityPath === undefined ? [] : IDENTITY_ROUTES.map((route) => identityPath + route)
  return new Set([...operations.map(({ route }) => route), '/healthz', '/readyz', ...identity])
}

function among(values: readonly string[], value: string): string {
  return values.includes(value) ? value : OTHER
}
