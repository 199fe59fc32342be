// What the authorization server does, in the terms of oidc-provider. Must not know the app that it is mounted in.

import type { JSONWebKeySet } from 'jose'
import {
  interactionPolicy,
  type AdapterFactory,
  type Client,
  type Configuration,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { deskClaims, findAccount, type FindPerson } from './accounts.ts'
import { preRegisteredClients } from './clients.ts'
import { renderError } from './pages/error-page.ts'
import type { Resources } from './resources.ts'

const ACCESS_TOKEN_LIFETIME_S = 2 * 3600
const SESSION_LIFETIME_S = 8 * 3600
const SIGN_IN_LIFETIME_S = 10 * 60
const CODE_LIFETIME_S = 60
// Every use gives a new one, so an idle client is signed out after two weeks and a busy one after a month.
const REFRESH_TOKEN_LIFETIME_S = 14 * 86_400
const GRANT_LIFETIME_S = 30 * 86_400

export interface ProviderOptions {
  readonly issuer: string
  readonly keys: JSONWebKeySet
  readonly gatewaySecret: string
  readonly adapter: AdapterFactory
  readonly resources: Resources
  readonly findPerson: FindPerson
}

/** OAuth 2.1 and no more: codes with PKCE S256, rotating refresh tokens, resource indicators, JWTs signed with ES256. */
export function providerConfiguration(options: ProviderOptions): Configuration {
  const { adapter, findPerson, issuer, resources } = options
  return {
    adapter,
    clients: preRegisteredClients(options.gatewaySecret),
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientBasedCORS: (_ctx, origin, client) => isOwnOrigin(origin, client),
    // Cookies know no ports: below `/` a client on this machine would get the session with its redirect.
    cookies: { long: { httpOnly: true, sameSite: 'lax', path: new URL(issuer).pathname } },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    expiresWithSession: () => false,
    extraTokenClaims: (_ctx, token) => deskClaims(findPerson, token),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, client, oneOf) => resources.byDefault(client, oneOf),
        getResourceServerInfo: (ctx, resource, client) => resources.describe(ctx, resource, client),
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    findAccount: (_ctx, id) => findAccount(findPerson, id),
    interactions: {
      policy: policy(),
      url: (_ctx, interaction) => `${issuer}/interaction/${interaction.uid}`,
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: options.keys,
    pkce: { required: () => true },
    renderError(ctx, out) {
      renderError(ctx, issuer, out)
    },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    // Only OpenID's own scopes belong here; those of a resource come with it.
    scopes: ['openid'],
    ttl: {
      AccessToken: ACCESS_TOKEN_LIFETIME_S,
      AuthorizationCode: CODE_LIFETIME_S,
      ClientCredentials: ACCESS_TOKEN_LIFETIME_S,
      Grant: GRANT_LIFETIME_S,
      IdToken: CODE_LIFETIME_S,
      Interaction: SIGN_IN_LIFETIME_S,
      RefreshToken: REFRESH_TOKEN_LIFETIME_S,
      Session: SESSION_LIFETIME_S,
    },
  }
}

/** A web page may use the token endpoint for the client whose redirects it serves. */
function isOwnOrigin(origin: string, client: Client): boolean {
  return (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin)
}

/** Sign-in, then consent: also where the role allows nothing of what is asked, so that there is somebody to say so. */
function policy(): interactionPolicy.Prompt[] {
  const prompts = interactionPolicy.base()
  const { Check } = interactionPolicy
  const nothingAllowed = ({ oidc }: KoaContextWithOIDC) => {
    const allowed = Object.values(oidc.resourceServers ?? {}).flatMap(({ scopes }) => [...scopes])
    return ![...oidc.requestParamScopes].some((scope) => allowed.includes(scope))
  }
  prompts
    .get('consent')
    ?.checks.add(
      new Check('nothing_allowed', 'no requested scope is allowed', 'access_denied', nothingAllowed),
    )
  return prompts
}
