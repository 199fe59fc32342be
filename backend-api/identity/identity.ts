// The embedded authorization server (OAuth 2.1), for local use: assembled here, mounted by the app at the issuer's path.

import type { RequestListener } from 'node:http'
import type { JSONWebKeySet } from 'jose'
import { Provider, type KoaContextWithOIDC, type errors } from 'oidc-provider'
import type { Logger } from 'pino'
import type { FindPerson } from './accounts.ts'
import { createInteraction } from './interaction.ts'
import { pointAtIssuer } from './mount.ts'
import { sendProblem } from './problem.ts'
import { providerConfiguration } from './provider-configuration.ts'
import { ALL_SCOPES } from './role-scopes.ts'
import { registerTokenExchange } from './token-exchange.ts'

export interface IdentityOptions {
  /** The issuer's URL; everything is served below its path. */
  readonly issuer: string
  /** Private ES256 keys; the first one signs. */
  readonly keys: JSONWebKeySet
  /** The one password of all people. */
  readonly password: string
  readonly gatewaySecret: string
  /** The URLs under which clients know the gateway. */
  readonly gatewayAudiences: readonly string[]
  /** The resource identifier of the ticket service. */
  readonly serviceAudience: string
  readonly findPerson: FindPerson
  readonly log: Logger
}

export interface Identity {
  /** Answers below the issuer's path and at RFC 8414's well-known paths; anything else is 404. */
  readonly handler: RequestListener
}

/** Builds the authorization server; throws when a key or a URL cannot be used. */
export function createIdentity(options: IdentityOptions): Identity {
  const { findPerson, issuer, keys, log } = options
  const audiences = { gateway: options.gatewayAudiences, service: options.serviceAudience }
  const provider = new Provider(issuer, providerConfiguration({ ...options, audiences }))
  registerTokenExchange(provider, { issuer, keys, audiences, findPerson, now: Date.now })
  provider.proxy = true // pointAtIssuer sets the forwarded protocol
  provider.use(advertiseScopes)
  logFailures(provider, log)

  const authorizationServer = provider.callback()
  const interaction = createInteraction(provider, { ...options, now: Date.now })
  const issuerUrl = new URL(issuer)

  return {
    handler(req, res) {
      const path = pointAtIssuer(req, issuerUrl)
      const uid = path && /^\/interaction\/([\w-]+)$/.exec(path)?.[1]
      if (path === undefined) {
        sendProblem(res, { status: 404, detail: `Nothing is served here; the issuer is ${issuer}` })
      } else if (uid) {
        interaction(req, res, uid).catch((error: unknown) => {
          log.error({ err: error }, 'sign-in failed')
          if (res.headersSent) res.destroy()
          else sendProblem(res, { status: 500, detail: 'Internal error; the log of the service says more.' })
        })
      } else {
        void authorizationServer(req, res)
      }
    },
  }
}

/** oidc-provider lists the scopes of OpenID only; a client that reads the metadata wants those of the resources. */
async function advertiseScopes(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  if (ctx.path.startsWith('/.well-known/') && ctx.status === 200) {
    ctx.body = { ...(ctx.body as object), scopes_supported: ALL_SCOPES }
  }
}

/** Routes failures to the log: the kind of error and the client, never a parameter, which may be a token. */
function logFailures(provider: Provider, log: Logger): void {
  const refused = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void => {
    const { error: code, error_description: description } = error
    log.warn(
      { code, description, client_id: ctx.oidc.client?.clientId },
      'authorization server refused a request',
    )
  }
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('server_error', (_ctx, error) => {
    log.error({ err: error }, 'authorization server failed')
  })
}
