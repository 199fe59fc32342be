// The embedded authorization server (OAuth 2.1), for local use: assembled here, mounted by the app at the issuer's path.

import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { JSONWebKeySet } from 'jose'
import { Provider, type KoaContextWithOIDC } from 'oidc-provider'
import type { Logger } from 'pino'
import type { IdentityState } from '../store/identity-state.ts'
import type { IdentityMetrics } from '../telemetry/identity-metrics.ts'
import type { FindPerson } from './accounts.ts'
import { createAdapter } from './adapter.ts'
import { createAuthenticator } from './authenticate-person.ts'
import { createPublicFetch } from './fetch-publicly.ts'
import { createInteraction } from './interaction.ts'
import { logFailure, logFailures } from './log-failures.ts'
import { hasLeft } from '../http/has-left.ts'
import { isLoopback } from './loopback.ts'
import { createDocumentClients } from './metadata-document.ts'
import { pointAtIssuer } from './mount.ts'
import { sendProblem } from './problem.ts'
import { providerConfiguration } from './provider-configuration.ts'
import { createRegistration } from './registration.ts'
import { createResources } from './resources.ts'
import { ALL_SCOPES } from './role-scopes.ts'
import { readKeys } from './signing-keys.ts'
import { registerTokenExchange } from './token-exchange.ts'

export interface IdentityOptions {
  /** The issuer's URL; everything is served below its path. On a loopback host it may read documents of this machine. */
  readonly issuer: string
  /** Private ES256 keys, each with a `kid`; the first one signs, all are published. */
  readonly keys: JSONWebKeySet
  readonly gatewaySecret: string
  /** The URLs under which clients know the gateway. */
  readonly gatewayAudiences: readonly string[]
  /** The resource identifier of the ticket service. */
  readonly serviceAudience: string
  readonly state: IdentityState
  readonly findPerson: FindPerson
  readonly clock: () => Date
  readonly mintId: () => string
  readonly log: Logger
  readonly metrics: IdentityMetrics
}

export interface Identity {
  /** Answers below the issuer's path and at RFC 8414's well-known paths; anything else is 404. */
  readonly handler: RequestListener
}

const LEAST_SCOPE = 'tickets:read'
const STYLE = readFileSync(new URL('pages/style.css', import.meta.url))

/** Builds the authorization server; throws when a key or a URL cannot be used. */
export function createIdentity(options: IdentityOptions): Identity {
  const { clock, findPerson, issuer, log, metrics, mintId, state } = options
  const now = () => clock().getTime()
  const issuerUrl = new URL(issuer)
  const local = isLoopback(issuerUrl.hostname)
  const keys = readKeys(options.keys)
  const audiences = { gateway: options.gatewayAudiences, service: options.serviceAudience }
  const resources = createResources(audiences, findPerson, keys.signing.kid)
  const fetch = createPublicFetch({ loopback: local })
  const findDocumentClient = createDocumentClients({ fetch, local, now })
  const adapter = createAdapter({ state, clock, findDocumentClient })

  const configuration = providerConfiguration({ ...options, keys: keys.all, adapter, resources })
  const provider = new Provider(issuer, configuration)
  registerTokenExchange(provider, { issuer, keys, audiences, findPerson, now })
  provider.proxy = true // pointAtIssuer sets the forwarded protocol
  provider.use(assumeScope(issuerUrl.pathname))
  provider.use(completeMetadata(issuer))
  logFailures(provider, log)
  countTokens(provider, metrics)

  const authorizationServer = provider.callback()
  const authenticate = createAuthenticator({ state, findPerson, now })
  const interaction = createInteraction(provider, { issuer, authenticate, findPerson, log, metrics })
  const saveClient = (client: { client_id: string }) => adapter('Client').upsert(client.client_id, client)
  const register = createRegistration(provider, { mintId, saveClient, now, log })

  async function answer(req: IncomingMessage, res: ServerResponse, path: string | undefined): Promise<void> {
    const uid = path && /^\/interaction\/([\w-]+)$/.exec(path)?.[1]
    if (path === undefined) {
      sendProblem(res, { status: 404, detail: `Nothing is served here; the issuer is ${issuer}` })
    } else if (uid) await interaction(req, res, uid)
    else if (path === '/reg') await register(req, res)
    else if (path === '/style.css') sendStyle(res)
    else await authorizationServer(req, res)
  }

  return {
    handler(req, res) {
      answer(req, res, pointAtIssuer(req, issuerUrl)).catch((error: unknown) => {
        logFailure(log, { req, res }, error)
        if (res.headersSent || hasLeft(req)) res.destroy()
        else sendProblem(res, { status: 500, detail: 'Internal error; the log of the service says more.' })
      })
    },
  }
}

function sendStyle(res: ServerResponse): void {
  res.writeHead(200, {
    'Content-Type': 'text/css; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=300',
  })
  res.end(STYLE)
}

/** A request that names no scope means the least there is (RFC 6749 section 3.3); more can be asked for later. */
function assumeScope(mount: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path === '/auth' && !ctx.query['scope']) {
      ctx.query = { ...ctx.query, scope: LEAST_SCOPE }
      Object.assign(ctx.req, { originalUrl: `${mount}${ctx.url}` })
    }
    await next()
  }
}

/** What clients read in the metadata (RFC 8414) and oidc-provider does not know, or knows for OpenID only. */
function completeMetadata(issuer: string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next()
    if (!ctx.path.startsWith('/.well-known/') || ctx.status !== 200) return
    ctx.body = {
      ...(ctx.body as object),
      scopes_supported: ALL_SCOPES,
      registration_endpoint: `${issuer}/reg`,
      client_id_metadata_document_supported: true,
    }
  }
}

function countTokens(provider: Provider, { tokenRequested }: IdentityMetrics): void {
  const grantTypeOf = ({ oidc }: KoaContextWithOIDC) => {
    // A refusal may come before the parameters were read.
    const type = (oidc.params as Record<string, unknown> | undefined)?.['grant_type']
    return typeof type === 'string' ? type : undefined
  }
  provider.on('grant.success', (ctx) => {
    tokenRequested(grantTypeOf(ctx), 'issued')
  })
  provider.on('grant.error', (ctx) => {
    if (!hasLeft(ctx.req)) tokenRequested(grantTypeOf(ctx), 'refused')
  })
}
