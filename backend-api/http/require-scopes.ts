import type { RequestHandler } from 'express'
import { callerOf } from './locals.ts'
import { sendFault } from './send-problem.ts'

/** Refuses a caller whose token lacks one of the scopes (RFC 6750 section 3.1). */
export function requireScopes(scopes: readonly string[]): RequestHandler {
  return (_request, response, next) => {
    const { scopes: granted } = callerOf(response)
    if (scopes.every((scope) => granted.has(scope))) next()
    else sendFault(response, { kind: 'insufficient_scope', scopes })
  }
}
