// What the authorization server does, in the terms of oidc-provider. Must not know the app that it is mounted in.

import type { JSONWebKeySet } from 'jose'
import { errors, type Configuration, type ResourceServer } from 'oidc-provider'
import { findAccount, implyConsent, personClaims, type FindPerson } from './accounts.ts'
import { findAudience, type Audiences } from './audiences.ts'
import { preRegisteredClients } from './clients.ts'
import { createMemoryAdapter } from './memory-adapter.ts'
import { ALL_SCOPES } from './role-scopes.ts'

const ACCESS_TOKEN_LIFETIME_S = 2 * 3600
const SESSION_LIFETIME_S = 8 * 3600
const SIGN_IN_LIFETIME_S = 10 * 60
const CODE_LIFETIME_S = 60

export interface ProviderOptions {
  readonly issuer: string
  readonly keys: JSONWebKeySet
  readonly gatewaySecret: string
  readonly audiences: Audiences
  readonly findPerson: FindPerson
}

/** OAuth 2.1 and no more: authorization code with PKCE S256, resource indicators, JWT access tokens signed with ES256. */
export function providerConfiguration(options: ProviderOptions): Configuration {
  const { audiences, findPerson, issuer } = options
  return {
    adapter: createMemoryAdapter(),
    clients: preRegisteredClients(options.gatewaySecret),
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientBasedCORS: () => false,
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    extraTokenClaims: (_ctx, token) =>
      'accountId' in token ? personClaims(findPerson, token.accountId) : undefined,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // Clients that predate RFC 8707 name no resource; they can only mean the gateway.
        defaultResource: (_ctx, _client, oneOf) => oneOf ?? audiences.gateway[0] ?? audiences.service,
        getResourceServerInfo: (_ctx, resource) => resourceServer(resource, audiences),
      },
    },
    findAccount: (_ctx, id) => findAccount(findPerson, id),
    interactions: { url: (_ctx, interaction) => `${issuer}/interaction/${interaction.uid}` },
    jwks: options.keys,
    loadExistingGrant: (ctx) => implyConsent(findPerson, ctx),
    pkce: { required: () => true },
    // Errors on their way to a browser are JSON too: the default is a page that loads fonts from elsewhere.
    renderError(ctx, out) {
      ctx.body = out
    },
    responseTypes: ['code'],
    // Only OpenID's own scopes belong here; those of a resource come with it.
    scopes: ['openid'],
    ttl: {
      AccessToken: ACCESS_TOKEN_LIFETIME_S,
      AuthorizationCode: CODE_LIFETIME_S,
      Grant: SESSION_LIFETIME_S,
      IdToken: CODE_LIFETIME_S,
      Interaction: SIGN_IN_LIFETIME_S,
      Session: SESSION_LIFETIME_S,
    },
  }
}

function resourceServer(resource: string, audiences: Audiences): ResourceServer {
  const known = [...audiences.gateway, audiences.service]
  const audience = findAudience(resource, known)
  if (audience === undefined) {
    throw new errors.InvalidTarget(`resource must be one of: ${known.join(' ')}`)
  }
  return {
    audience,
    scope: ALL_SCOPES.join(' '),
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  }
}
