// A statement of the gateway, signed with its key, that says for whom it acts; sent next to a token of its own. For
// issuers that have no token exchange. Off unless the gateway's public keys are configured.
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'

const TYPE = 'desk-user+jwt'
const MAX_AGE_SECONDS = 120
const CLOCK_TOLERANCE_SECONDS = 5

export interface UserAssertionOptions {
  /** Public keys, ES256. */
  readonly keys: JSONWebKeySet
  /** The gateway's client id at the issuer: only with a token of that client does an assertion count. */
  readonly clientId: string
  /** This service. */
  readonly audiences: string[]
  readonly clock: () => Date
}

export interface UserAssertions {
  readonly clientId: string
  /** The claims of a valid assertion, which ends two minutes after it was made at the latest; rejects with a jose error for any other. */
  verify(assertion: string): Promise<JWTPayload>
}

export function createUserAssertions({
  keys,
  clientId,
  audiences,
  clock,
}: UserAssertionOptions): UserAssertions {
  const keySet = createLocalJWKSet(keys)
  return {
    clientId,
    async verify(assertion) {
      const { payload } = await jwtVerify(assertion, keySet, {
        issuer: clientId,
        audience: audiences,
        typ: TYPE,
        algorithms: ['ES256'],
        requiredClaims: ['sub', 'client_id', 'exp', 'iat'],
        maxTokenAge: MAX_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock(),
      })
      const exp = Math.min(Number(payload.exp), Number(payload.iat) + MAX_AGE_SECONDS)
      return { ...payload, exp }
    },
  }
}
