// Who did what through which client: one line for each tool call that reached authorisation. No text of a ticket, only
// a digest of the arguments, which proves what was asked to whoever knows it.
import type { CallRecord } from '../tools/call-record.ts'
import { digestOf } from '../tools/canonical-json.ts'
import type { LineFile } from './audit-file.ts'

/** What an audit line is made of. */
export type AuditedCall = Pick<
  CallRecord,
  'requestId' | 'traceId' | 'caller' | 'tool' | 'ticketId' | 'arguments' | 'errorClass' | 'errorCode'
>

type AnnouncedCall = Omit<AuditedCall, 'errorClass' | 'errorCode'>

export interface Audit {
  /** Writes the line of a call. A line that cannot be written is kept, and told of. */
  readonly record: (call: AuditedCall) => void
  /**
   * Where writes without an audit line are refused, writes one with the outcome `pending` before the write is sent. False
   * when it cannot: then the write must not be sent.
   */
  readonly announce: (call: AnnouncedCall) => boolean
  /** Tries a last time to write the lines that were kept. */
  readonly close: () => void
}

export interface AuditPorts {
  readonly file: LineFile
  /** Refuse writes while lines cannot be written. */
  readonly required: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onLine: (result: 'written' | 'failed') => void
}

export const NO_AUDIT: Audit = {
  record: () => undefined,
  announce: () => true,
  close: () => undefined,
}

export function createAudit({ file, required, now, onLine }: AuditPorts): Audit {
  const append = (line: object) => {
    const written = file.append(JSON.stringify(line))
    onLine(written ? 'written' : 'failed')
    return written
  }
  return {
    record: (call) => void append({ ...lineOf(call, new Date(now())), ...endingOf(call) }),
    announce: (call) =>
      !required || append({ ...lineOf(call, new Date(now())), decision: 'allowed', outcome: 'pending' }),
    close: () => void file.flush(),
  }
}

function lineOf(record: AnnouncedCall, time: Date) {
  const { caller } = record
  return {
    audit: 'tool_call',
    time: time.toISOString(),
    request_id: record.requestId,
    trace_id: record.traceId,
    // RFC 8693 section 4.1: who acts, where the token says that it is somebody other than the client itself.
    actor: caller.actor ?? caller.clientId,
    client: caller.clientId,
    user: caller.subject,
    tool: record.tool,
    target: record.ticketId,
    arguments: digestOf(record.arguments ?? {}),
  }
}

function endingOf({ errorClass, errorCode }: AuditedCall) {
  return {
    decision: errorClass === 'forbidden' ? 'denied' : 'allowed',
    outcome: errorClass ?? 'ok',
    code: errorCode,
  }
}
