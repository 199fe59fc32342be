// W3C Trace Context, level 2, as far as a participant needs it: read what came in, write what goes out.
// Knows no spans; a malformed context is no context.

/** The least that a participant must carry on (section "tracestate Limits"); each request to the service pays for it. */
const MAX_TRACESTATE_CHARACTERS = 512
/** Sampled and random; a participant sends all other bits as zero. */
const KNOWN_FLAGS = 0x03

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/
/** What may stand in a header, so that a value out of `_meta` cannot break one. */
const PRINTABLE = /^[\x20-\x7e]+$/

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the span that is the parent of what comes next. */
  readonly spanId: string
  readonly flags: number
  /** `tracestate`, as it came. */
  readonly state: string | undefined
}

/** The context in `_meta` of a message, else the one in the headers of its HTTP request (names in lower case). */
export function traceContextOf(meta: unknown, headers: unknown): TraceContext | undefined {
  return contextIn(meta) ?? contextIn(headers)
}

/** The headers that carry it on. */
export function traceHeaders({ traceId, spanId, flags, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
  return state === undefined ? { traceparent } : { traceparent, tracestate: state }
}

function contextIn(carrier: unknown): TraceContext | undefined {
  if (typeof carrier !== 'object' || carrier === null) return undefined
  const { traceparent, tracestate } = carrier as Readonly<Record<string, unknown>>
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || version === 'ff') return undefined
  // Later versions may append fields, this one may not (section "Versioning of traceparent").
  if (version === '00' && more !== undefined) return undefined
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  return { traceId, spanId, flags: parseInt(flags, 16) & KNOWN_FLAGS, state: carried(tracestate) }
}

function carried(tracestate: unknown): string | undefined {
  if (typeof tracestate !== 'string' || tracestate.length > MAX_TRACESTATE_CHARACTERS) return undefined
  return PRINTABLE.test(tracestate) ? tracestate : undefined
}
