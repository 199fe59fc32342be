import type { RequestHandler } from 'express'
import { sendFault } from './send-problem.ts'

/** Refuses a caller that takes none of the media types on offer. */
export function requireAcceptable(offers: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (request.accepts([...offers]) !== false) next()
    else sendFault(response, { kind: 'not_acceptable', offered: offers.join(' or ') })
  }
}
