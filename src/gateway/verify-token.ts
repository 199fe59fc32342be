// Is this token one for us? Signature, issuer, audience, expiry, algorithm, type. Knows no HTTP request.
import { createHash } from 'node:crypto'
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../backend/caller.ts'
import type { Issuer } from '../backend/issuer.ts'

const ALGORITHMS = ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA']
const CLOCK_TOLERANCE_S = 5
const MAX_VERIFIED_TOKENS = 10_000
const JWKS = { timeoutDuration: 2_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 }

export type Verification =
  | { readonly kind: 'valid'; readonly caller: Caller }
  /** `reason` is for the challenge: it names the check and nothing of the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The issuer's keys are out of reach, so nothing can be said about the token. */
  | { readonly kind: 'issuer_unavailable'; readonly cause: string }

export type VerifyToken = (token: string) => Promise<Verification>

export interface VerifyTokenOptions {
  readonly issuer: Issuer
  /** This server's URLs; with and without a trailing slash is the same audience. */
  readonly audiences: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Verifies access tokens (RFC 9068). What was verified is kept by the token's hash, never longer than the token lives. */
export function createTokenVerifier({ issuer, audiences, now }: VerifyTokenOptions): VerifyToken {
  const accepted = audiences.map((url) => url.replace(/\/$/, '')).flatMap((url) => [url, `${url}/`])
  const verified = new LRUCache<string, Caller>({ max: MAX_VERIFIED_TOKENS })
  const keysOf = remoteKeys(issuer)
  return async (token) => {
    const key = createHash('sha256').update(token).digest('base64')
    const known = verified.get(key)
    if (known && known.expiresAt * 1000 > now()) return { kind: 'valid', caller: known }
    try {
      const { payload } = await jwtVerify(token, await keysOf(), {
        issuer: issuer.url,
        audience: accepted,
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'client_id', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
      })
      const caller = callerOf(payload, token)
      verified.set(key, caller)
      return { kind: 'valid', caller }
    } catch (error) {
      return refusal(error)
    }
  }
}

/** The key set is found through the issuer's metadata when the first token comes, not at start-up. */
function remoteKeys(issuer: Issuer): () => Promise<JWTVerifyGetKey> {
  let keys: JWTVerifyGetKey | undefined
  return async () => {
    if (!keys) {
      const { jwks_uri } = await issuer.metadata()
      keys ??= createRemoteJWKSet(new URL(jwks_uri), JWKS)
    }
    return keys
  }
}

function callerOf(payload: JWTPayload, token: string): Caller {
  const { sub, client_id, scope, exp } = payload
  return {
    subject: String(sub),
    clientId: String(client_id),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []),
    token,
    expiresAt: Number(exp),
  }
}

function refusal(error: unknown): Verification {
  if (error instanceof errors.JWTExpired) return { kind: 'invalid', reason: 'the token has expired' }
  if (error instanceof errors.JWTClaimValidationFailed)
    return { kind: 'invalid', reason: `the token's ${error.claim} is not the one expected here` }
  // A key set that cannot be had says nothing about the token; an unknown key in a set that was had does.
  const ofTheToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
  const keySetBroken =
    error instanceof errors.JWKSInvalid ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  if (ofTheToken && !keySetBroken) return { kind: 'invalid', reason: 'the token is not valid' }
  return { kind: 'issuer_unavailable', cause: error instanceof Error ? error.message : String(error) }
}
