// Checks the token that the gateway hands in for exchange (RFC 8693 section 2.1, subject_token).

import { createLocalJWKSet, jwtVerify, type JSONWebKeySet, type JWK } from 'jose'
import { errors } from 'oidc-provider'
import type { Audiences } from './audiences.ts'

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
  readonly keys: JSONWebKeySet
  readonly audiences: Audiences
}

export type VerifySubject = (token: string, now_s: number) => Promise<Subject>

/** Accepts access tokens (RFC 9068) of this issuer for the gateway and nobody else; anything else is `invalid_request`. */
export function createSubjectVerifier({ issuer, keys, audiences }: SubjectOptions): VerifySubject {
  const jwks = createLocalJWKSet({ keys: keys.keys.map(publicPart) })
  const audience = audiences.gateway.flatMap((url) => [url, `${url}/`])

  return async (token, now_s) => {
    const expected = `subject_token must be a current access token of ${issuer} for ${audiences.gateway.join(' or ')}.`
    const verified = await jwtVerify(token, jwks, {
      issuer,
      audience,
      algorithms: ['ES256'],
      typ: 'at+jwt',
      currentDate: new Date(now_s * 1000),
      requiredClaims: ['sub', 'exp', 'client_id', 'scope'],
    }).catch((cause: unknown) => {
      throw new errors.InvalidRequest(expected, undefined, { cause })
    })
    const { sub, exp, client_id, scope } = verified.payload
    if (!sub || !exp || typeof client_id !== 'string' || typeof scope !== 'string') {
      throw new errors.InvalidRequest(expected)
    }
    return { sub, exp, client_id, scope }
  }
}

function publicPart(key: JWK): JWK {
  const copy: JWK = { ...key, alg: 'ES256', use: 'sig' }
  delete copy.d
  return copy
}
