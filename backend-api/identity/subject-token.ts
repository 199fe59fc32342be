// Checks the token that the gateway hands in for exchange (RFC 8693 section 2.1, subject_token).

import { createLocalJWKSet, jwtVerify } from 'jose'
import { errors, type Provider } from 'oidc-provider'
import type { Audiences } from './audiences.ts'
import { publicKeys, type SigningKeys } from './signing-keys.ts'

export interface Subject {
  readonly sub: string
  readonly client_id: string
  /** Space separated. */
  readonly scope: string
  /** Seconds since 1970. */
  readonly exp: number
}

export interface SubjectOptions {
  readonly issuer: string
  readonly keys: SigningKeys
  readonly audiences: Audiences
}

export type VerifySubject = (token: string, now_s: number) => Promise<Subject>

/**
 * Accepts access tokens (RFC 9068) of this issuer for the gateway and nobody else, as long as the grant behind them
 * stands; anything else is `invalid_request`.
 */
export function createSubjectVerifier(
  provider: Provider,
  { issuer, keys, audiences }: SubjectOptions,
): VerifySubject {
  const jwks = createLocalJWKSet(publicKeys(keys))
  const audience = audiences.gateway.flatMap((url) => [url, `${url}/`])

  return async (token, now_s) => {
    const expected = `subject_token must be a current access token of ${issuer} for ${audiences.gateway.join(' or ')}.`
    const verified = await jwtVerify(token, jwks, {
      issuer,
      audience,
      algorithms: ['ES256'],
      typ: 'at+jwt',
      currentDate: new Date(now_s * 1000),
      requiredClaims: ['sub', 'exp', 'client_id', 'scope', 'grant'],
    }).catch((cause: unknown) => {
      throw new errors.InvalidRequest(expected, undefined, { cause })
    })
    const { sub, exp, client_id, scope, grant: grantId } = verified.payload
    if (!sub || !exp || typeof client_id !== 'string' || typeof scope !== 'string') {
      throw new errors.InvalidRequest(expected)
    }
    const grant = typeof grantId === 'string' ? await provider.Grant.find(grantId) : undefined
    if (grant?.accountId !== sub || grant.clientId !== client_id) {
      throw new errors.InvalidRequest('The grant of the subject_token has been revoked or has ended.')
    }
    return { sub, exp, client_id, scope }
  }
}
