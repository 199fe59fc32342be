// The two places in which a client's trace context comes with a message: the HTTP headers and the message's `_meta`.
import { randomBytes } from 'node:crypto'
import type { Message } from './messages.ts'

export interface ClientContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceparent: string
  readonly tracestate: string
}

/** Sampled, as of a client that traces. */
export function newContext(): ClientContext {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1' }
}

export type Carry = (message: Message, context: Partial<ClientContext>) => Message

const inHeaders: Carry = ({ headers, body }, { traceparent, tracestate }) => ({
  headers: { ...headers, ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) },
  body,
})

const inMeta: Carry = ({ headers, body }, { traceparent, tracestate }) => {
  const params = body['params'] as Record<string, unknown>
  const _meta = { ...(params['_meta'] as object | undefined), traceparent, tracestate }
  return { headers, body: { ...body, params: { ...params, _meta } } }
}

export const carriers = [
  ['its headers', inHeaders],
  ['_meta', inMeta],
] as const
