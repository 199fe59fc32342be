// The last step: whatever was thrown becomes a problem document, and a bug is logged with its stack.
import type { ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Fault } from '../fault.ts'
import { hasLeft } from './has-left.ts'
import { MAX_BODY_BYTES } from './read-body.ts'
import { sendFault } from './send-problem.ts'

// What express, body-parser and express-openapi-validator put on their errors.
const HttpError = z.object({
  status: z.number().int(),
  type: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
})

export function answerErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (hasLeft(request)) {
      response.destroy()
      return
    }
    const fault = faultOf(error)
    if (fault.kind === 'internal') log.error({ err: error, request_id: response.locals.requestId }, 'failed')
    if (response.headersSent) {
      // A stream that broke in the middle must not look complete, and nothing else may answer.
      response.destroy()
      next('router')
    } else sendFault(response, fault)
  }
}

/** What is wrong, in the terms of the contract; everything unknown is our bug. */
function faultOf(error: unknown): Fault {
  const parsed = HttpError.safeParse(error)
  if (!parsed.success) return { kind: 'internal' }
  const { status, type, headers, errors } = parsed.data
  switch (status) {
    case 400:
      return type === 'entity.parse.failed'
        ? { kind: 'invalid_request', detail: 'body: must be valid JSON, an object.' }
        : invalidRequest(errors?.[0])
    case 404:
      return { kind: 'no_such_route' }
    case 405:
      return { kind: 'method_not_allowed', allow: headers?.['Allow'] ?? 'GET' }
    case 413:
      return { kind: 'payload_too_large', limitBytes: MAX_BODY_BYTES }
    case 415:
      return { kind: 'unsupported_media_type' }
    default:
      return { kind: 'internal' }
  }
}

// Paths look like "/query/limit" and "/body/tags/1"; a header is named as the contract's `field` does it.
function invalidRequest(error: { path: string; message: string } | undefined): Fault {
  if (error === undefined)
    return { kind: 'invalid_request', detail: 'The URL must be well-formed; encode it as UTF-8.' }
  const [, place = '', ...steps] = error.path.split('/')
  const name = steps.join('.')
  const field = place === 'headers' ? name.replaceAll('-', '_') : name || place
  return { kind: 'invalid_request', detail: `${field}: ${expectation(error.message)}.`, field }
}

function expectation(message: string): string {
  if (/^unknown query parameter|additional properties/i.test(message))
    return 'is not known here; leave it out'
  if (message.startsWith('Empty value')) return 'must not be empty; leave it out or give it a value'
  return message
    .replace('must be <=', 'must be at most')
    .replace('must be >=', 'must be at least')
    .replace('must NOT', 'must not')
    .replace(/must have required property .*/, 'is required')
}
