// Is this token one for us? Signature, issuer, audience, expiry, algorithm, type. Knows no HTTP request.
import { createHash } from 'node:crypto'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../backend/caller.ts'
import type { Issuer } from '../backend/issuer.ts'
import { claimAt, wordsOf, type ClaimNames } from './claims.ts'

const ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA']
const CLOCK_TOLERANCE_S = 5
const MAX_VERIFIED_TOKENS = 10_000
const KEYS_MAX_AGE_MS = 600_000
/** An unknown key asks for the set again, at most once in this time. */
const KEYS_COOLDOWN_MS = 30_000
const KEYS_TIMEOUT_MS = 2_000

export type Verification =
  | { readonly kind: 'valid'; readonly caller: Caller }
  /** `reason` is for the challenge: it names the check and nothing of the token. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The issuer's keys are out of reach, so nothing can be said about the token. */
  | { readonly kind: 'issuer_unavailable'; readonly cause: string }

export type VerifyToken = (token: string) => Promise<Verification>
export type VerificationResult = 'cached' | 'verified' | 'refused' | 'issuer_unavailable'
export type TokenVerifier = VerifyToken & {
  /** Tokens that are kept as verified. */
  readonly entries: () => number
}

export interface VerifyTokenOptions {
  readonly issuer: Issuer
  /** This server's URLs; with and without a trailing slash is the same audience. */
  readonly audiences: readonly string[]
  readonly claims: ClaimNames
  /** `typ` of the token's header; undefined accepts any, for issuers from before RFC 9068. */
  readonly tokenType: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** How long a key set is used before it is read again, in milliseconds. */
  readonly keysMaxAgeMs?: number
  /** Told what became of each token. */
  readonly onResult?: (result: VerificationResult) => void
}

/** Verifies access tokens (RFC 9068). What was verified is kept by the token's hash, never longer than the token lives. */
export function createTokenVerifier(options: VerifyTokenOptions): TokenVerifier {
  const { issuer, audiences, claims, tokenType, now, onResult = () => undefined } = options
  const accepted = audiences.map((url) => url.replace(/\/$/, '')).flatMap((url) => [url, `${url}/`])
  const verified = new LRUCache<string, Caller>({ max: MAX_VERIFIED_TOKENS })
  const keysOf = remoteKeys(issuer, options.keysMaxAgeMs ?? KEYS_MAX_AGE_MS)
  const verifyAnew = async (key: string, token: string): Promise<Verification> => {
    try {
      const { payload } = await jwtVerify(token, await keysOf(), {
        issuer: issuer.url,
        audience: accepted,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp'],
        ...(tokenType !== undefined && { typ: tokenType }),
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
      })
      const caller = callerOf(payload, token, claims)
      if (!caller) return { kind: 'invalid', reason: `the token has no claim ${claims.clientId}` }
      verified.set(key, caller)
      return { kind: 'valid', caller }
    } catch (error) {
      return refusal(error)
    }
  }
  const verify: VerifyToken = async (token) => {
    const key = createHash('sha256').update(token).digest('base64')
    const known = verified.get(key)
    if (known && known.expiresAt * 1000 > now()) {
      onResult('cached')
      return { kind: 'valid', caller: known }
    }
    const verification = await verifyAnew(key, token)
    onResult(RESULTS[verification.kind])
    return verification
  }
  return Object.assign(verify, { entries: () => verified.size })
}

const RESULTS = { valid: 'verified', invalid: 'refused', issuer_unavailable: 'issuer_unavailable' } as const

/**
 * The key set is found through the issuer's metadata when the first token comes, not at start-up. When the issuer is
 * gone and the set is due to be read again, the keys that are known go on being used.
 */
function remoteKeys(issuer: Issuer, cacheMaxAge: number): () => Promise<JWTVerifyGetKey> {
  let keys: JWTVerifyGetKey | undefined
  return async () => {
    if (keys) return keys
    const { jwks_uri } = await issuer.metadata()
    const remote = createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: KEYS_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge,
      [customFetch]: issuer.fetch,
    })
    keys ??= async (header, token) => {
      try {
        return await remote(header, token)
      } catch (error) {
        const known = remote.jwks()
        if (!known || refusal(error).kind !== 'issuer_unavailable') throw error
        return createLocalJWKSet(known)(header, token).catch(() => {
          throw error
        })
      }
    }
    return keys
  }
}

function callerOf(payload: JWTPayload, token: string, claims: ClaimNames): Caller | undefined {
  const clientId = claimAt(payload, claims.clientId)
  if (typeof clientId !== 'string') return undefined
  return {
    subject: String(payload.sub),
    clientId,
    actor: actorOf(payload),
    scopes: new Set(wordsOf(claimAt(payload, claims.scope))),
    roles: wordsOf(claimAt(payload, claims.role)),
    name: typeof payload['name'] === 'string' ? payload['name'] : undefined,
    token,
    expiresAt: Number(payload.exp),
  }
}

function actorOf({ act }: JWTPayload): string | undefined {
  const subject = (act as { sub?: unknown } | null | undefined)?.sub
  return typeof subject === 'string' ? subject : undefined
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
