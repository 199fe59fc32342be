// Signs a person in at the authorization server the way a browser would, and comes back with an access token.

import * as oauth from 'oauth4webapi'
import { allowInsecureRequests as plainHttp } from 'oauth4webapi'
import { passPages, type Credentials } from './pass-pages.ts'

export interface SignInRequest extends Credentials {
  /** The issuer's URL. */
  readonly issuer: string
  /** What the token is for (RFC 8707), e.g. the gateway's URL. */
  readonly resource: string
  /** Space separated; left out: all there are, of which the issuer grants those that the person's role may have. */
  readonly scope?: string
}

export interface SignedIn {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Seconds. */
  readonly expiresIn: number
  /** What was granted, space separated. */
  readonly scope: string
}

const CLIENT: oauth.Client = { client_id: 'desk-local' }
const REDIRECT_URI = 'http://127.0.0.1:9/callback'
const ALL_SCOPES = 'tickets:read tickets:write desk:admin'
// Plain HTTP is for an issuer on this machine; the option only permits what the issuer's URL says.
const OVER_HTTP = { [plainHttp]: true }

/**
 * Authorization code with PKCE, through the real endpoints and pages. Throws when the issuer cannot be reached or
 * refuses; a wrong person or password is an Error whose message is the issuer's own.
 */
export async function signIn(request: SignInRequest): Promise<SignedIn> {
  const server = await discover(request.issuer)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()

  const url = await authorizationUrl(server, request, verifier, state)
  const callback = await passPages(url, REDIRECT_URI, request)
  const answer = oauth.validateAuthResponse(server, CLIENT, callback, state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    CLIENT,
    oauth.None(),
    answer,
    REDIRECT_URI,
    verifier,
    { ...OVER_HTTP, additionalParameters: { resource: request.resource } },
  )
  const token = await oauth.processAuthorizationCodeResponse(server, CLIENT, response)
  return {
    accessToken: token.access_token,
    refreshToken: token.refresh_token,
    expiresIn: token.expires_in ?? 0,
    scope: token.scope ?? '',
  }
}

async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer)
  const response = await oauth.discoveryRequest(url, { ...OVER_HTTP, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(url, response)
}

async function authorizationUrl(
  server: oauth.AuthorizationServer,
  { resource, scope = ALL_SCOPES }: SignInRequest,
  verifier: string,
  state: string,
): Promise<URL> {
  if (server.authorization_endpoint === undefined)
    throw new Error('The issuer has no authorization endpoint.')
  const url = new URL(server.authorization_endpoint)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT.client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    scope,
    state,
  }).toString()
  return url
}
