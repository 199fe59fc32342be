// Bearer authentication (RFC 6750) and its challenges. Tokens are taken from the Authorization header and nowhere else.
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../backend/caller.ts'
import { refuseStranger } from './bound-strangers.ts'
import { requestIdOf } from './request-id.ts'
import type { ProtectedResource } from './protected-resource.ts'
import type { VerifyToken } from './verify-token.ts'

/** What a client is asked for first; more is asked for when a tool needs it. */
const FIRST_SCOPE = 'tickets:read'
const RETRY_AFTER_S = 5
/** RFC 6750 section 2.1: `b64token`. */
const CREDENTIALS = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

export interface AuthenticatePorts {
  readonly verify: VerifyToken
  readonly resource: ProtectedResource
  readonly onIssuerFault: (cause: string, requestId: string) => void
}

/** Lets requests of known callers pass (`callerOf`), or answers 400, 401 or 503. */
export function authenticate({ verify, resource, onIssuerFault }: AuthenticatePorts): RequestHandler {
  return async (req, res, next) => {
    const header = req.headers.authorization
    if (header === undefined || !/^bearer\b/i.test(header)) {
      challenge(req, res, 401, undefined, 'A bearer token is needed; the challenge says where to get one.')
      return
    }
    const token = CREDENTIALS.exec(header)?.[1]
    if (token === undefined) {
      challenge(req, res, 400, 'invalid_request', 'The Authorization header must be "Bearer" and one token.')
      return
    }
    const verification = await verify(token)
    switch (verification.kind) {
      case 'valid':
        callers.set(res, verification.caller)
        next()
        return
      case 'invalid':
        challenge(req, res, 401, 'invalid_token', `Get a new token: ${verification.reason}.`)
        return
      case 'issuer_unavailable':
        onIssuerFault(verification.cause, requestIdOf(res))
        res.setHeader('Retry-After', RETRY_AFTER_S)
        res.status(503).json({
          error: 'temporarily_unavailable',
          error_description: 'The token cannot be checked at the moment. Try again later.',
        })
    }
  }

  function challenge(
    req: Request,
    res: Response,
    status: number,
    error: string | undefined,
    description: string,
  ) {
    if (refuseStranger(res)) return
    sendChallenge(res, status, resource.metadataUrl(req), { error, description, scope: FIRST_SCOPE })
  }
}

export interface Challenge {
  readonly error: string | undefined
  readonly description: string
  readonly scope: string
}

/** Answers with `WWW-Authenticate` (RFC 6750 section 3, RFC 9728 section 5.1) and the same as JSON. */
export function sendChallenge(
  res: Response,
  status: number,
  metadataUrl: string,
  challenge: Challenge,
): void {
  const parameters = [
    `resource_metadata="${metadataUrl}"`,
    `scope="${challenge.scope}"`,
    ...(challenge.error === undefined
      ? []
      : [`error="${challenge.error}"`, `error_description="${challenge.description}"`]),
  ]
  res.setHeader('WWW-Authenticate', `Bearer ${parameters.join(', ')}`)
  res.status(status).json({
    error: challenge.error ?? 'unauthorized',
    error_description: challenge.description,
    scope: challenge.scope,
  })
}

const callers = new WeakMap<Response, Caller>()

/** The caller of a request, once it is known. */
export function knownCaller(res: Response): Caller | undefined {
  return callers.get(res)
}

/** The caller of a request that has been through `authenticate`; throws for any other, so that nothing runs unchecked. */
export function callerOf(res: Response): Caller {
  const caller = callers.get(res)
  if (!caller) throw new Error('This request was not authenticated.')
  return caller
}
