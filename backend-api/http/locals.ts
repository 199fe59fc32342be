// What the steps of a request leave for the ones after them.
import type { Response } from 'express'
import type { Caller } from '../rules/caller.ts'

declare module 'express-serve-static-core' {
  interface Locals {
    requestId: string
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
