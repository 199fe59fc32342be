// A tool call as it runs: each of its parts is measured once, for the span, the log line and the metrics alike.
import type { Part, PartDetails, PartName } from '../backend/open-call.ts'
import type { CallEnding, CallRecord, CallStart, OpenToolCall, Spent } from '../tools/call-record.ts'
import type { Metrics } from './metrics.ts'
import { traceContextOf } from './trace-context.ts'
import type { Attributes, SpanPort, Tracing } from './tracing.ts'

const NO_HEADERS = {}
/** Of what a client chose; two thousand spans may wait to be sent. */
const MAX_GIVEN_CHARACTERS = 64
const SPENT_ON = { queue: 'queueMs', exchange: 'exchangeMs', attempt: 'backendMs' } as const

export interface RunningCallPorts {
  readonly tracing: Tracing
  readonly metrics: Metrics
  /** Host of the ticket service. */
  readonly serverAddress: string
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told of each write before it is sent; false keeps it from being sent. */
  readonly onWrite: (call: CallStart & { readonly traceId: string | undefined }) => boolean
  /** Told of each call when it has ended. */
  readonly onEnd: (record: CallRecord) => void
}

/** Opens the telemetry of one call; whoever opens it ends it. */
export function createOpenCall({
  tracing,
  metrics,
  serverAddress,
  now,
  onWrite,
  onEnd,
}: RunningCallPorts): OpenToolCall {
  return (start) => {
    const startedAt = now()
    const span = startSpan(tracing, start)
    const spent = nothingSpent()
    const operation = start.operation ?? 'other'
    const measured = { spent, metrics, operation, traceId: span?.traceId }
    const unfinished = new Set<{ readonly name: PartName; readonly at: number }>()
    return {
      requestId: start.requestId,
      mayWrite: () => onWrite({ ...start, traceId: span?.traceId }),
      begin: (name) => {
        const begun = { name, at: now() }
        unfinished.add(begun)
        if (name === 'attempt' && ++spent.attempts > 1) metrics.retried(operation)
        const request = span && { ...requestOf(start, serverAddress), 'desk.attempt': spent.attempts }
        const child = request && span.child(...spanOf(name, request, operation))
        return part(child, (outcome, details = {}) => {
          unfinished.delete(begun)
          const ms = now() - begun.at
          count(measured, name, ms, outcome, details)
          child?.end(attributesOf(details), isFailed(name, outcome))
        })
      },
      end: (ending) => {
        span?.end(endAttributes(ending), ending.errorClass !== undefined)
        // An exchange goes on for others when this call does not wait any longer; that it waited must not get lost.
        for (const { name, at } of unfinished) spent[SPENT_ON[name]] += now() - at
        const ticketId = start.ticketId ?? ending.ticketId
        onEnd({
          ...start,
          ...ending,
          ticketId,
          traceId: span?.traceId,
          seconds: (now() - startedAt) / 1000,
          spent,
        })
      },
    }
  }
}

function nothingSpent(): Spent {
  return {
    queueMs: 0,
    exchangeMs: 0,
    backendMs: 0,
    attempts: 0,
    status: undefined,
    cause: undefined,
    bytes: 0,
  }
}

interface Measured {
  readonly spent: Spent
  readonly metrics: Metrics
  readonly operation: string
  readonly traceId: string | undefined
}

function count(
  { spent, metrics, operation, traceId }: Measured,
  name: PartName,
  ms: number,
  outcome: string,
  details: PartDetails,
): void {
  spent[SPENT_ON[name]] += ms
  switch (name) {
    case 'queue':
      metrics.queued(outcome, ms / 1000, traceId)
      return
    case 'exchange':
      // Those who ask at the same time share one, so it is counted where it is made.
      return
    case 'attempt':
      spent.status = details.status
      spent.cause = details.cause
      spent.bytes += details.bytes ?? 0
      metrics.backendAttempt(operation, outcome, ms / 1000, traceId)
  }
}

function part(span: SpanPort | undefined, end: Part['end']): Part {
  return { headers: span?.headers ?? NO_HEADERS, end }
}

function startSpan(tracing: Tracing, { tool, requestId, message }: CallStart): SpanPort | undefined {
  const parent = message && traceContextOf(message.meta, message.headers)
  return tracing.start(`tools/call ${tool}`, parent, {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': tool,
    'desk.request_id': requestId,
    ...(message && {
      'jsonrpc.request.id': shortened(message.id),
      'mcp.protocol.version': shortened(message.headers['mcp-protocol-version'] ?? ''),
    }),
  })
}

function shortened(given: string | number | readonly string[]): string | undefined {
  return String(given).slice(0, MAX_GIVEN_CHARACTERS) || undefined
}

function requestOf({ isWrite }: CallStart, serverAddress: string): Attributes {
  return { 'http.request.method': isWrite ? 'POST' : 'GET', 'server.address': serverAddress }
}

function spanOf(name: PartName, request: Attributes, operation: string): Parameters<SpanPort['child']> {
  switch (name) {
    case 'queue':
      return [name]
    case 'exchange':
      return [name, {}, 'client']
    case 'attempt':
      return [operation, request, 'client']
  }
}

function attributesOf({ status, cause }: PartDetails): Attributes {
  return { 'http.response.status_code': status, 'error.type': cause }
}

function isFailed(name: PartName, outcome: string): boolean {
  switch (name) {
    case 'queue':
      return outcome !== 'entered'
    case 'exchange':
      return outcome !== 'granted'
    case 'attempt':
      return !/^[234]xx$/.test(outcome)
  }
}

/** `error.type` as OpenTelemetry's conventions for MCP have it. */
function endAttributes({ errorClass }: CallEnding): Record<string, string> | undefined {
  return errorClass === undefined ? undefined : { 'error.type': 'tool_error', 'desk.error.class': errorClass }
}
