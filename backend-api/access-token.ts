// Access tokens (RFC 9068) from the configured issuer, checked against its keys. Knows nothing of HTTP requests.
import { createHash } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Caller } from './rules/caller.ts'

const MAX_CACHED_TOKENS = 10_000
const CLOCK_TOLERANCE_SECONDS = 5
const ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA']

/** `expiresAt` is in seconds since 1970. */
export type Verdict =
  | { readonly kind: 'verified'; readonly caller: Caller; readonly expiresAt: number }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unknown_role' }
  | { readonly kind: 'issuer_unreachable' }

export type VerifyAccessToken = (token: string) => Promise<Verdict>

export interface AccessTokenOptions {
  readonly issuer: string
  /** With and without a slash at its end is one audience. */
  readonly audience: string
  /** The issuer's keys; fails with anything but a jose error when they cannot be had. */
  readonly keys: JWTVerifyGetKey
  readonly clock: () => Date
}

const Claims = z.object({
  sub: z.string().regex(/^[!-~]{1,128}$/),
  client_id: z.string().min(1).max(200),
  exp: z.number(),
  scope: z.string().default(''),
  name: z.string().optional(),
  role: z.unknown().optional(),
})
const KnownRole = z.enum(['customer', 'staff', 'admin'])

/** Verified tokens are remembered by their hash, for no longer than they last; refused ones never. */
export function createAccessTokenVerifier(options: AccessTokenOptions): VerifyAccessToken {
  const { issuer, keys, clock } = options
  const bare = options.audience.replace(/\/$/, '')
  const verified = new LRUCache<string, Extract<Verdict, { kind: 'verified' }>>({ max: MAX_CACHED_TOKENS })

  return async (token) => {
    const hash = createHash('sha256').update(token).digest('base64')
    const known = verified.get(hash)
    if (known !== undefined && known.expiresAt * 1000 > clock().getTime()) return known
    verified.delete(hash)
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [bare, `${bare}/`],
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'client_id', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock(),
      })
      const verdict = verdictOf(payload)
      if (verdict.kind === 'verified') verified.set(hash, verdict)
      return verdict
    } catch (error) {
      return { kind: isFaultOfToken(error) ? 'invalid' : 'issuer_unreachable' }
    }
  }
}

function verdictOf(payload: JWTPayload): Verdict {
  const claims = Claims.safeParse(payload)
  if (!claims.success) return { kind: 'invalid' }
  const { sub, client_id, exp, scope, name, role } = claims.data
  const known = KnownRole.safeParse(role)
  if (!known.success) return { kind: 'unknown_role' }
  const scopes = new Set(scope.split(' ').filter((word) => word !== ''))
  return {
    kind: 'verified',
    caller: { id: sub, name: shownName(name, sub), role: known.data, scopes, clientId: client_id },
    expiresAt: exp,
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

function isFaultOfToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC'
}
