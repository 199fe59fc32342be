// Failures of the authorization server in the log: the kind of error and the client, never a parameter, which may be
// a token. A client that leaves in the middle of its request is no failure.

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KoaContextWithOIDC, Provider, errors } from 'oidc-provider'
import type { Logger } from 'pino'
import { hasLeft } from '../http/has-left.ts'

/** A request and its answer, which names the request. */
interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

const requestIdOf = ({ res }: Exchange) => res.getHeader('X-Request-Id')

/** Listens to the authorization server as long as it lives. */
export function logFailures(provider: Provider, log: Logger): void {
  const refused = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    const { error: code, error_description: description, cause } = error
    const reason = cause instanceof Error ? cause.message : undefined
    const client = ctx.oidc.client?.clientId
    const line = { request_id: requestIdOf(ctx), code, description, reason, client }
    if (hasLeft(ctx.req)) log.debug(line, LEFT)
    else log.warn(line, 'authorization server refused a request')
  }
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('revocation.error', refused)
  provider.on('server_error', (ctx, error) => {
    logFailure(log, ctx, error)
  })
  // Koa's own, e.g. of a connection that breaks during the answer; it would print them.
  const koa: EventEmitter = provider
  koa.on('error', (error: unknown, ctx?: Exchange) => {
    if (isBrokenConnection(error)) log.debug(LEFT)
    else logFailure(log, ctx, error)
  })
}

/** What was thrown while the request was answered. */
export function logFailure(log: Logger, exchange: Exchange | undefined, error: unknown): void {
  if (exchange && hasLeft(exchange.req)) log.debug(LEFT)
  else log.error({ request_id: exchange && requestIdOf(exchange), err: error }, 'authorization server failed')
}

/** Reset, closed, or ended in the middle of a message, which Node's parser reports. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ECONNRESET|EPIPE|HPE_\w+)$/.test(String(error.code))
}

const LEFT = 'a client left the authorization server in the middle of its request'
