// Metrics of MCP operations and tool calls: how long, how they ended, and whose they were.
import type { CallRecord } from '../tools/call-record.ts'
import type { FailureClass } from '../tools/failure.ts'
import { combinationsOf, createCounter, createDurations, type MetricsRegistry } from './instruments.ts'
import { labelClients } from './label-clients.ts'

/** Methods that the gateway serves, of both protocol eras. */
const METHODS = [
  'initialize',
  'notifications/cancelled',
  'notifications/initialized',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'server/discover',
  'subscriptions/listen',
  'tools/call',
  'tools/list',
  'other',
] as const

/** Codes of JSON-RPC and of MCP; the empty one means that all went well, `tool_error` a result that says it did not. */
export const ERROR_TYPES = [
  '',
  'tool_error',
  '-32700',
  '-32600',
  '-32601',
  '-32602',
  '-32603',
  '-32002',
  '-32021',
  '-32022',
  'other',
] as const

/** A new class of failures does not compile until it is here. */
const FAILURE_CLASSES: Readonly<Record<FailureClass, true>> = {
  unknown_tool: true,
  invalid_arguments: true,
  not_found: true,
  forbidden: true,
  conflict: true,
  rate_limited: true,
  backend_unavailable: true,
  outcome_unknown: true,
  bad_backend_reply: true,
  internal: true,
}

export interface OperationMetrics {
  /** Counts one tool call that was answered with a result. */
  readonly observe: (record: CallRecord) => void
  /** Counts any other operation, by what answered it: `''` or a JSON-RPC code. */
  readonly operation: (method: string, errorType: string, seconds: number) => void
  /** Counts a call that was refused at HTTP level because its client is far over the limit. */
  readonly overCeiling: (tool: string, clientId: string) => void
  /** Gives these clients a label of their own, the first 50 of them all; to be told again when they change. */
  readonly listClients: (clientIds: readonly string[]) => void
}

type Rejected = (tool: string, reason: string) => void

/** `tools` are all label values that tools have. */
export function createOperationMetrics(
  registry: MetricsRegistry,
  tools: readonly string[],
  rejected: Rejected,
): OperationMetrics {
  const duration = createDurations(registry, {
    name: 'mcp_server_operation_duration_seconds',
    help: 'How long MCP operations take, tool calls with their waits and retries. error_type is empty where all went well, tool_error for a result that says what failed, else the JSON-RPC code.',
    labels: { mcp_method_name: METHODS, gen_ai_tool_name: ['', ...tools], error_type: ERROR_TYPES },
    atStart: [
      ...combinationsOf({
        mcp_method_name: ['tools/call'],
        gen_ai_tool_name: tools,
        error_type: ['', 'tool_error'],
      }),
      ...combinationsOf({
        mcp_method_name: METHODS.filter((method) => method !== 'tools/call'),
        gen_ai_tool_name: [''],
        error_type: [''],
      }),
    ],
  })
  const failures = createCounter(registry, {
    name: 'desk_gateway_failures_total',
    help: 'Tool calls that failed, by the class that the client was told.',
    labels: { gen_ai_tool_name: tools, class: Object.keys(FAILURE_CLASSES) },
  })
  const drift = createCounter(registry, {
    name: 'desk_gateway_backend_drift_total',
    help: 'Replies of the ticket service that left the contract in a way that did no harm: gateway and service are of different versions.',
    labels: { gen_ai_tool_name: tools },
  })
  const removed = createCounter(registry, {
    name: 'desk_gateway_removed_characters_total',
    help: 'Invisible characters removed from results; many of them are an attempt to talk to the model behind its user.',
    labels: { gen_ai_tool_name: tools },
  })
  const clients = labelClients(registry)
  return {
    listClients: clients.list,
    observe({ tool, caller, errorClass, errorCode, seconds, traceId, drifted, removedCharacters }) {
      const error_type = errorClass === undefined ? '' : 'tool_error'
      duration({ mcp_method_name: 'tools/call', gen_ai_tool_name: tool, error_type }, seconds, traceId)
      clients.count(caller.clientId, outcomeOf(errorClass))
      if (errorClass !== undefined) failures({ gen_ai_tool_name: tool, class: errorClass })
      if (errorCode !== undefined) rejected(tool, errorCode)
      if (drifted) drift({ gen_ai_tool_name: tool })
      if (removedCharacters > 0) removed({ gen_ai_tool_name: tool }, removedCharacters)
    },
    operation(method, error_type, seconds) {
      // A call that was no call: it got no further than the protocol, so no tool is known.
      const gen_ai_tool_name = method === 'tools/call' ? 'other' : ''
      duration({ mcp_method_name: method, gen_ai_tool_name, error_type }, seconds)
    },
    overCeiling(tool, clientId) {
      rejected(tool, 'over_ceiling')
      clients.count(clientId, 'limited')
    },
  }
}

function outcomeOf(errorClass: FailureClass | undefined) {
  if (errorClass === undefined) return 'ok'
  return errorClass === 'rate_limited' ? 'limited' : 'failed'
}
