// The page of all metrics, read from the registries of the two processes before any traffic.
import type { OpenMetricsContentType, Registry } from 'prom-client'
import { readContract } from '../backend-api/contract.ts'
import { createMetrics as createServiceMetrics } from '../backend-api/telemetry/metrics.ts'
import { REQUEST_OUTCOMES } from '../src/telemetry/backend-metrics.ts'
import { createMetrics as createGatewayMetrics } from '../src/telemetry/metrics.ts'
import { ERROR_TYPES } from '../src/telemetry/operation-metrics.ts'

/** What cannot be seen before traffic, by label or by metric and label. */
const VALUES: Readonly<Record<string, string>> = {
  gen_ai_tool_name: 'full name of a tool, or `other`',
  'mcp_server_operation_duration_seconds gen_ai_tool_name':
    'full name of a tool, or `other`; empty unless tools/call',
  error_type: listed(ERROR_TYPES),
  'desk_gateway_backend_request_duration_seconds outcome': listed(REQUEST_OUTCOMES),
  client: 'OAuth client that `CLIENT_POLICY_FILE` lists, the first 50, or `other`',
  http_request_method: listed(['GET', 'POST', 'other']),
  http_route: 'path as a template, or `other`',
  http_response_status_code: 'status, or `other`',
  version: 'version',
  node_version: 'version',
  digest: 'digest of all tools',
  status: listed(['open', 'closed']),
}

const INTRODUCTION = `# Metrics

Written by \`npm run generate\`; do not edit. Each process serves its metrics in the OpenMetrics format at
\`http://ADMIN_HOST:ADMIN_PORT/metrics\`. Values of labels come from closed sets, so that no caller can make a series; a
value that is not in the set counts as \`other\`. What can be known exists before traffic, at 0. Durations are histograms in
seconds; where a request is part of a trace, its bucket carries the trace id as an exemplar.

Both processes have the metrics of Node and of the process besides, among them \`process_cpu_seconds_total\`,
\`process_resident_memory_bytes\`, \`process_start_time_seconds\` and \`nodejs_eventloop_lag_p99_seconds\`.
`

/** The page as Markdown, not formatted yet. */
export async function describeMetrics(): Promise<string> {
  const gateway = createGatewayMetrics([])
  gateway.describe({ version: '', nodeVersion: '', catalogue: { version: '', digest: '' } })
  const service = createServiceMetrics({
    version: '',
    nodeVersion: '',
    contract: readContract(),
    identityPath: undefined,
    countTickets: () => Promise.resolve({ open: 0, closed: 0 }),
    monotonicMs: () => 0,
  })
  return [
    INTRODUCTION,
    ...(await section('Gateway', gateway.registry)),
    ...(await section('Ticket service', service.registry)),
  ].join('\n')
}

async function section(title: string, registry: Registry<OpenMetricsContentType>): Promise<string[]> {
  const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => !/^(process|nodejs)_/.test(name))
  const rows = metrics
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, help, values }) => {
      const labels = labelsOf(registry, name).map((label) => {
        const seen = values.map((value) => (value.labels as Readonly<Record<string, string>>)[label] ?? '')
        return `\`${label}\`: ${VALUES[`${name} ${label}`] ?? VALUES[label] ?? listed([...new Set(seen)])}`
      })
      return `| \`${name}\` | ${String(type)} | ${labels.join('<br>')} | ${help} |`
    })
  return [`## ${title}\n`, '| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows, '']
}

/** The library knows them and does not type them. */
function labelsOf(registry: Registry<OpenMetricsContentType>, name: string): readonly string[] {
  return (registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] }).labelNames
}

function listed(values: readonly string[]): string {
  return values.map((value) => (value === '' ? 'empty' : `\`${value}\``)).join(', ')
}
