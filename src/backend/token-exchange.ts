// Token exchange (RFC 8693): the caller's token in, a short-lived token of our own for the ticket service out.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Caller } from './caller.ts'
import type { Issuer } from './issuer.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const EXCHANGE_TIMEOUT_MS = 3_000
/** A token is replaced this long before it ends, so that it never ends on its way. */
const EXPIRY_MARGIN_MS = 10_000
const MAX_CACHED_TOKENS = 10_000

const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() })

export type Exchanged =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'subject_refused' }
  | { readonly kind: 'issuer_unavailable'; readonly cause: string }

export interface TokenExchange {
  /** The service's token for this caller, from the cache where it is fresh. Never rejects. */
  exchange(caller: Caller): Promise<Exchanged>
  /** Drops the cached token, for when the service has refused it. */
  forget(caller: Caller): void
}

export interface TokenExchangeOptions {
  readonly issuer: Issuer
  readonly clientId: string
  readonly clientSecret: string
  /** Resource identifier of the ticket service (RFC 8707). */
  readonly resource: string
  readonly fetch: typeof globalThis.fetch
}

/** One exchange for each client token while its answer is fresh; callers that ask at the same time share it. */
export function createTokenExchange(options: TokenExchangeOptions): TokenExchange {
  const cache = new LRUCache<string, Promise<Exchanged>>({
    max: MAX_CACHED_TOKENS,
    ttl: 1,
    ttlAutopurge: false,
  })
  return {
    exchange(caller) {
      const key = hash(caller.token)
      const known = cache.get(key)
      if (known) return known
      const asked = request(options, caller).then((answer) => {
        const lifetimeMs = answer.kind === 'token' ? answer.lifetimeMs : 0
        if (lifetimeMs > 0) cache.set(key, asked, { ttl: lifetimeMs })
        else cache.delete(key)
        return answer
      })
      cache.set(key, asked, { ttl: EXCHANGE_TIMEOUT_MS * 2 })
      return asked
    },
    forget: (caller) => void cache.delete(hash(caller.token)),
  }
}

type Answered = Exclude<Exchanged, { kind: 'token' }> | { kind: 'token'; token: string; lifetimeMs: number }

async function request(options: TokenExchangeOptions, caller: Caller): Promise<Answered> {
  try {
    const { token_endpoint } = await options.issuer.metadata()
    const response = await options.fetch(token_endpoint, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
      headers: {
        authorization: basic(options.clientId, options.clientSecret),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        grant_type: GRANT_TYPE,
        subject_token: caller.token,
        subject_token_type: ACCESS_TOKEN,
        resource: options.resource,
      }).toString(),
    })
    const body: unknown = await response.json()
    if (response.ok) {
      const granted = Granted.parse(body)
      const lifetimeMs = granted.expires_in * 1000 - EXPIRY_MARGIN_MS
      return { kind: 'token', token: granted.access_token, lifetimeMs }
    }
    const code = z.object({ error: z.string() }).safeParse(body).data?.error ?? 'no error code'
    // RFC 8693 section 2.2.2 has invalid_request for an unacceptable subject token; many issuers say invalid_grant.
    if (code === 'invalid_request' || code === 'invalid_grant') return { kind: 'subject_refused' }
    return { kind: 'issuer_unavailable', cause: `token endpoint: ${response.status} ${code}` }
  } catch (error) {
    return { kind: 'issuer_unavailable', cause: error instanceof Error ? error.message : String(error) }
  }
}

/** RFC 6749 section 2.3.1: both halves are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
