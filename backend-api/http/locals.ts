// What the steps of a request leave for the ones after them.
import type { Response } from 'express'
import type { Problem } from '../../openapi/desk.gen.ts'
import type { Caller } from '../rules/caller.ts'

declare module 'express-serve-static-core' {
  interface Locals {
    requestId: string
    /** Of the W3C trace that the request is part of. */
    traceId?: string
    /** The template, e.g. `/v1/tickets/{id}`; left out where nothing is served. */
    route?: string
    /** The ticket that the request is about. */
    ticketId?: string
    /** While `request.method` says what the contract describes instead. */
    methodSent?: string
    /** Of the problem document that was the answer. */
    problemCode?: Problem['code']
    caller?: Caller
    /** Seconds since 1970: when the caller's token ends. */
    tokenExpiresAt?: number
  }
}

/** Who asks; only behind the authentication step. */
export function callerOf(response: Response): Caller {
  const { caller } = response.locals
  if (caller === undefined) throw new Error('This operation is not behind the authentication step.')
  return caller
}
