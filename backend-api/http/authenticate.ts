import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { VerifyAccessToken } from '../access-token.ts'
import { sendFault } from './send-problem.ts'

const RETRY_AFTER_SECONDS = 5

/** Bearer tokens (RFC 6750), from the Authorization header only. Nothing behind this step may be cached. */
export function authenticate(verify: VerifyAccessToken, log: Logger): RequestHandler {
  return async (request, response, next) => {
    response.set('Cache-Control', 'no-store')
    const credentials = request.get('Authorization') ?? ''
    const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(credentials)?.[1]
    if (token === undefined) {
      sendFault(response, { kind: 'unauthenticated', tokenSent: /^Bearer /i.test(credentials) })
      return
    }
    const { requestId: request_id } = response.locals
    const verdict = await verify(token, request.get('Desk-User-Assertion'))
    switch (verdict.kind) {
      case 'verified':
        response.locals.caller = verdict.caller
        response.locals.tokenExpiresAt = verdict.expiresAt
        next()
        return
      case 'invalid':
        log.debug({ request_id, reason: verdict.reason }, 'token refused')
        sendFault(response, { kind: 'unauthenticated', tokenSent: true })
        return
      case 'unknown_role':
        sendFault(response, { kind: 'unknown_role' })
        return
      case 'issuer_unreachable':
        log.warn({ request_id, reason: verdict.reason }, 'the issuer is out of reach')
        sendFault(response, {
          kind: 'unavailable',
          detail: 'Tokens cannot be checked now, because their issuer does not answer. Try again later.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        })
    }
  }
}
