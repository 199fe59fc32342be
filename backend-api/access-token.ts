// Access tokens (RFC 9068) from the configured issuer, checked against its keys. Knows nothing of HTTP requests.
import { createHash } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { claimAt, roleOf, STANDARD_CLAIMS, wordsOf } from './claims.ts'
import type { ClaimNames } from './claims.ts'
import type { Caller } from './rules/caller.ts'
import type { UserAssertions } from './user-assertion.ts'

const MAX_CACHED_TOKENS = 10_000
const CLOCK_TOLERANCE_SECONDS = 5
const ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA']

/** `expiresAt` is in seconds since 1970. A `reason` is for the log of whoever runs the service, and has no part of a token. */
export type Verdict =
  | { readonly kind: 'verified'; readonly caller: Caller; readonly expiresAt: number }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unknown_role' }
  | { readonly kind: 'issuer_unreachable'; readonly reason: string }

/** `assertion` is what came next to the token, where something did. */
export type VerifyAccessToken = (token: string, assertion: string | undefined) => Promise<Verdict>

export interface AccessTokenOptions {
  readonly issuer: string
  /** With and without a slash at its end is one audience. */
  readonly audience: string
  /** The issuer's keys; fails with anything but a jose error when they cannot be had. */
  readonly keys: JWTVerifyGetKey
  readonly claims: ClaimNames
  /** `typ` of the token's header; undefined accepts any, for issuers from before RFC 9068. */
  readonly tokenType: string | undefined
  /** Undefined: assertions are refused. */
  readonly assertions: UserAssertions | undefined
  readonly clock: () => Date
}

const Identity = z.object({
  id: z.string().regex(/^[!-~]{1,128}$/),
  clientId: z.string().min(1).max(200),
  name: z.string().optional(),
})

/** Verified tokens are remembered by their hash, for no longer than they last; refused ones never. */
export function createAccessTokenVerifier(options: AccessTokenOptions): VerifyAccessToken {
  const { claims, assertions, clock } = options
  const verified = new LRUCache<string, Extract<Verdict, { kind: 'verified' }>>({ max: MAX_CACHED_TOKENS })

  return async (token, assertion) => {
    const hash = createHash('sha256')
      .update(`${token} ${assertion ?? ''}`)
      .digest('base64')
    const known = verified.get(hash)
    if (known !== undefined && known.expiresAt * 1000 > clock().getTime()) return known
    verified.delete(hash)
    try {
      const payload = await verifyToken(options, token)
      const verdict =
        assertion === undefined
          ? verdictOf(payload, claims)
          : await verdictOfAssertion(assertions, payload, claims, assertion)
      if (verdict.kind === 'verified') verified.set(hash, verdict)
      return verdict
    } catch (error) {
      return { kind: isFaultOfToken(error) ? 'invalid' : 'issuer_unreachable', reason: reasonOf(error) }
    }
  }
}

async function verifyToken(
  { issuer, audience, keys, tokenType, clock }: AccessTokenOptions,
  token: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: audiencesOf(audience),
    ...(tokenType !== undefined && { typ: tokenType }),
    algorithms: ALGORITHMS,
    requiredClaims: ['sub', 'exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: clock(),
  })
  return payload
}

/** Both spellings of one audience. */
export function audiencesOf(audience: string): string[] {
  const bare = audience.replace(/\/$/, '')
  return [bare, `${bare}/`]
}

async function verdictOfAssertion(
  assertions: UserAssertions | undefined,
  token: JWTPayload,
  claims: ClaimNames,
  assertion: string,
): Promise<Verdict> {
  if (assertions === undefined || claimAt(token, claims.clientId) !== assertions.clientId)
    return { kind: 'invalid', reason: 'this client may not vouch for a user' }
  const verdict = verdictOf(await assertions.verify(assertion), STANDARD_CLAIMS)
  return verdict.kind === 'verified'
    ? { ...verdict, expiresAt: Math.min(verdict.expiresAt, Number(token.exp)) }
    : verdict
}

function verdictOf(payload: JWTPayload, claims: ClaimNames): Verdict {
  const identity = Identity.safeParse({
    id: payload.sub,
    clientId: claimAt(payload, claims.clientId),
    name: payload['name'],
  })
  if (!identity.success) return { kind: 'invalid', reason: 'its subject or its client cannot be used' }
  const { id, clientId, name } = identity.data
  const role = roleOf(claimAt(payload, claims.role))
  if (role === undefined) return { kind: 'unknown_role' }
  const scopes = new Set(wordsOf(claimAt(payload, claims.scope)))
  return {
    kind: 'verified',
    caller: { id, name: shownName(name, id), role, scopes, clientId },
    expiresAt: Number(payload.exp),
  }
}

// The issuer's text: kept within what the desk stores, or replaced by the id.
function shownName(name: string | undefined, sub: string): string {
  const text = Array.from(name ?? '')
    .slice(0, 200)
    .join('')
    .trim()
  return text === '' || /\0|\p{Surrogate}/u.test(text) ? sub : text
}

/** Codes and claim names of jose, and messages of connections: none repeats what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return `${error.code} ${error.claim}`
  if (error instanceof errors.JOSEError) return error.code
  return error instanceof Error ? error.message : 'unknown'
}

function isFaultOfToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC'
}
