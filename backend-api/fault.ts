// What is wrong with a request before any rule is asked, or instead of its answer, as a problem document (RFC 9457).
// Nothing internal is repeated: no stack trace, no token, no address.
import { reply } from './problem.ts'
import type { ProblemReply } from './problem.ts'

/** What can be wrong before a rule is asked, or instead of its answer. */
export type Fault =
  | { readonly kind: 'invalid_request'; readonly detail: string; readonly field?: string }
  | { readonly kind: 'invalid_cursor'; readonly field: string }
  | { readonly kind: 'unauthenticated'; readonly tokenSent: boolean }
  | { readonly kind: 'insufficient_scope'; readonly scopes: readonly string[] }
  | { readonly kind: 'unknown_role' }
  | { readonly kind: 'no_such_route' }
  | { readonly kind: 'method_not_allowed'; readonly allow: string }
  | { readonly kind: 'not_acceptable'; readonly offered: string }
  | { readonly kind: 'payload_too_large'; readonly limitBytes: number }
  | { readonly kind: 'unsupported_media_type' }
  | { readonly kind: 'unavailable'; readonly detail: string; readonly retryAfterSeconds: number }
  | { readonly kind: 'internal' }

const INVALID_CURSOR =
  'This cursor is altered, expired, or not of this caller and filter. Start again without a cursor.'
const UNKNOWN_ROLE =
  'The token names no role that the desk knows. Expected in the claim "role": customer, staff or admin.'

/** One exhaustive switch: a new fault does not compile until it is here. */
export function problemOfFault(fault: Fault): ProblemReply {
  switch (fault.kind) {
    case 'invalid_request':
      return reply(
        400,
        'invalid_request',
        fault.detail,
        fault.field === undefined ? {} : { field: fault.field },
      )
    case 'invalid_cursor':
      return reply(400, 'invalid_cursor', INVALID_CURSOR, { field: fault.field })
    case 'unauthenticated':
      // RFC 6750 section 3: at least one parameter; section 3.1: no error code where no token was sent.
      return reply(401, 'unauthenticated', 'Send a valid bearer token whose audience is this service.', {
        headers: {
          'WWW-Authenticate': fault.tokenSent ? 'Bearer error="invalid_token"' : 'Bearer realm="desk"',
        },
      })
    case 'insufficient_scope': {
      const scope = fault.scopes.join(' ')
      return reply(
        403,
        'insufficient_scope',
        `The token lacks the scope ${scope}. Ask for a token that has it.`,
        {
          headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
        },
      )
    }
    case 'unknown_role':
      return reply(403, 'forbidden', UNKNOWN_ROLE)
    case 'no_such_route':
      return reply(404, 'not_found', 'There is nothing at this path. See /v1/openapi.json for what there is.')
    case 'method_not_allowed':
      return reply(405, 'method_not_allowed', `This path takes ${fault.allow}.`, {
        headers: { Allow: fault.allow },
      })
    case 'not_acceptable':
      return reply(406, 'not_acceptable', `This is offered as ${fault.offered}. Accept that.`)
    case 'payload_too_large':
      return reply(413, 'payload_too_large', `The body is larger than ${fault.limitBytes} bytes. Send less.`)
    case 'unsupported_media_type':
      return reply(
        415,
        'unsupported_media_type',
        'Send the body as application/json in UTF-8, not compressed.',
      )
    case 'unavailable':
      return reply(503, 'unavailable', fault.detail, {
        headers: { 'Retry-After': String(fault.retryAfterSeconds) },
      })
    case 'internal':
      return reply(500, 'internal', 'Something went wrong in the service. Report it with the request id.')
  }
}
