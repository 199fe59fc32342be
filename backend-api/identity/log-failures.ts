// Failures of the authorization server in the log: the kind of error and the client, never a parameter, which may be
// a token. A client that leaves in the middle of its request is no failure.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC, Provider, errors } from 'oidc-provider'
import type { Logger } from 'pino'
import { hasLeft } from '../http/has-left.ts'

export function logFailures(provider: Provider, log: Logger): void {
  const refused = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    const { error: code, error_description: description, cause } = error
    const reason = cause instanceof Error ? cause.message : undefined
    const line = { code, description, reason, client_id: ctx.oidc.client?.clientId }
    if (hasLeft(ctx.req)) log.debug(line, LEFT)
    else log.warn(line, 'authorization server refused a request')
  }
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('revocation.error', refused)
  provider.on('server_error', (ctx, error) => {
    logFailure(log, ctx.req, error)
  })
  // Koa's own, e.g. of a connection that breaks during the answer; it would print them.
  const koa: EventEmitter = provider
  koa.on('error', (error: unknown, ctx?: { req: IncomingMessage }) => {
    if (isBrokenConnection(error)) log.debug(LEFT)
    else logFailure(log, ctx?.req, error)
  })
}

/** What was thrown while `req` was answered. */
export function logFailure(log: Logger, req: IncomingMessage | undefined, error: unknown): void {
  if (req && hasLeft(req)) log.debug(LEFT)
  else log.error({ err: error }, 'authorization server failed')
}

/** Reset, closed, or ended in the middle of a message, which Node's parser reports. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ECONNRESET|EPIPE|HPE_\w+)$/.test(String(error.code))
}

const LEFT = 'a client left the authorization server in the middle of its request'
