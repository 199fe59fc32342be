// The one log line of a tool call: an allow-list of fields, no token and no ticket text.
import type { Logger } from 'pino'
import type { CallRecord } from '../tools/call-record.ts'

export function logCall(log: Logger, record: CallRecord): void {
  const { caller, spent, drifted, removedCharacters } = record
  const line = {
    request_id: record.requestId,
    trace_id: record.traceId,
    client: caller.clientId,
    user: caller.subject,
    tool: record.tool,
    ticket: record.ticketId,
    class: record.errorClass,
    code: record.errorCode,
    status: spent.status,
    cause: spent.cause,
    ms: rounded(record.seconds * 1000),
    queue_ms: rounded(spent.queueMs),
    exchange_ms: rounded(spent.exchangeMs),
    backend_ms: rounded(spent.backendMs),
    attempts: spent.attempts,
    bytes: spent.bytes,
    ...(removedCharacters > 0 && { removed_characters: removedCharacters }),
    ...(drifted && { drift: true }),
  }
  if (drifted) log.warn(line, 'tool call; the reply left the contract')
  else log.info(line, 'tool call')
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
