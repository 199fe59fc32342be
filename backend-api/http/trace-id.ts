import type { RequestHandler } from 'express'

// W3C Trace Context section 3.2.2: no version ff, no id of zeros only; a later version may bring more fields.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** Remembers the trace that this request is part of; a malformed header counts as none. */
export const assignTraceId: RequestHandler = (request, response, next) => {
  const [, version, traceId, more] = TRACEPARENT.exec(request.get('traceparent') ?? '') ?? []
  if (traceId !== undefined && !(version === '00' && more !== undefined)) response.locals.traceId = traceId
  next()
}
