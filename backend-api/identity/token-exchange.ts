// Token exchange (RFC 8693): the gateway trades a token that it received for a short-lived one for the ticket service.

import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT, type JWTPayload } from 'jose'
import { errors, type Provider } from 'oidc-provider'
import type { FindPerson } from './accounts.ts'
import { findAudience, type Audiences } from './audiences.ts'
import { scopesOfRole } from './role-scopes.ts'
import type { SigningKeys } from './signing-keys.ts'
import { createSubjectVerifier } from './subject-token.ts'

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const LIFETIME_MAX_S = 300

export interface TokenExchangeOptions {
  readonly issuer: string
  readonly keys: SigningKeys
  readonly audiences: Audiences
  readonly findPerson: FindPerson
  /** The time in milliseconds. */
  readonly now: () => number
}

interface TokenExchangeParams {
  readonly subject_token?: string
  readonly subject_token_type?: string
  readonly requested_token_type?: string
  readonly actor_token?: string
  readonly resource?: string
  readonly audience?: string
  readonly scope?: string
}

interface TokenExchangeResponse {
  readonly access_token: string
  readonly issued_token_type: typeof ACCESS_TOKEN
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** Adds the grant to the token endpoint; oidc-provider has authenticated the client and checked that it may use it. */
export function registerTokenExchange(provider: Provider, options: TokenExchangeOptions): void {
  const exchange = createTokenExchange(provider, options)
  provider.registerGrantType<TokenExchangeParams>(
    TOKEN_EXCHANGE,
    async (ctx) => {
      ctx.body = await exchange(ctx.oidc.params, ctx.oidc.client.clientId, Math.floor(options.now() / 1000))
    },
    [
      'subject_token',
      'subject_token_type',
      'requested_token_type',
      'actor_token',
      'resource',
      'audience',
      'scope',
    ],
  )
}

/**
 * The exchange itself: params, id of the acting client and the time in seconds -> the answer of RFC 8693 section 2.2.1.
 * The issued token keeps the subject's client_id, so that the desk knows through which client something was done, and
 * names the acting client in `act`. Throws the errors of section 2.2.2, by which an unacceptable subject_token is
 * `invalid_request`.
 */
function createTokenExchange(provider: Provider, options: TokenExchangeOptions) {
  const verifySubject = createSubjectVerifier(provider, options)
  const sign = createSigner(options)

  return async (
    params: TokenExchangeParams,
    actor: string,
    now_s: number,
  ): Promise<TokenExchangeResponse> => {
    checkTypes(params)
    checkTarget(params, options.audiences.service)
    const subject = await verifySubject(params.subject_token ?? '', now_s)
    const person = await options.findPerson(subject.sub)
    if (!person) throw new errors.InvalidRequest('The person of the subject_token no longer exists.')

    const held = subject.scope.split(' ').filter((scope) => scopesOfRole(person.role).includes(scope))
    const scope = narrowScope(params.scope, held)
    const exp = Math.min(subject.exp, now_s + LIFETIME_MAX_S)
    const claims = {
      client_id: subject.client_id,
      scope,
      role: person.role,
      name: person.name,
      act: { sub: actor },
    }
    return {
      access_token: await sign({ ...claims, sub: person.id, iat: now_s, exp }),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: exp - now_s,
      scope,
    }
  }
}

function checkTypes(params: TokenExchangeParams): void {
  if (!params.subject_token) throw new errors.InvalidRequest('subject_token is missing.')
  if (params.subject_token_type !== ACCESS_TOKEN) {
    throw new errors.InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN}.`)
  }
  if (params.requested_token_type !== undefined && params.requested_token_type !== ACCESS_TOKEN) {
    throw new errors.InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN} or left out.`)
  }
  if (params.actor_token !== undefined) {
    throw new errors.InvalidRequest('actor_token must be left out: the authenticated client is the actor.')
  }
}

function checkTarget(params: TokenExchangeParams, service: string): void {
  const targets = [params.resource, params.audience].filter((target) => target !== undefined)
  if (targets.length === 0 || targets.some((target) => findAudience(target, [service]) === undefined)) {
    throw new errors.InvalidTarget(`resource or audience must be ${service}.`)
  }
}

function narrowScope(requested: string | undefined, held: readonly string[]): string {
  const wanted = requested ? [...new Set(requested.split(' '))] : held
  const excess = wanted.filter((scope) => !held.includes(scope))
  if (excess.length > 0 || wanted.length === 0) {
    throw new errors.InvalidScope(
      `scope must be within that of the subject_token: ${held.join(' ')}`,
      excess.join(' '),
    )
  }
  return wanted.join(' ')
}

function createSigner({ issuer, keys, audiences }: TokenExchangeOptions) {
  const { signing } = keys
  const header = { alg: 'ES256', typ: 'at+jwt', kid: signing.kid }

  return async (claims: JWTPayload): Promise<string> =>
    new SignJWT({ ...claims, iss: issuer, aud: audiences.service, jti: randomUUID() })
      .setProtectedHeader(header)
      .sign(await importJWK(signing, 'ES256'))
}
