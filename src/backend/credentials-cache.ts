// Credentials by the hash of the caller's token: fetched once, shared by those who ask at the same time, bounded.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Caller } from './caller.ts'
import type { Part } from './open-call.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'

const MAX_CALLERS = 10_000
/** How long those who ask at the same time share one request; no request takes longer. */
const SHARED_MS = 10_000

/** `headers` are what to send along: trace context and request id. */
type Obtain = (
  caller: Caller,
  headers: Part['headers'],
) => Promise<{ readonly credentials: Credentials; readonly lifetimeMs: number }>

/** Told how the cache fares; an exchange is what `obtain` did. */
export interface CredentialsWatch {
  readonly onLookup: (result: 'hit' | 'miss') => void
  readonly onExchange: (outcome: ExchangeOutcome, seconds: number) => void
}

export type ExchangeOutcome = 'granted' | 'subject_refused' | 'issuer_unavailable'

interface Entry {
  readonly pending: Promise<Credentials>
  value: Credentials | undefined
}

/** Keeps what `obtain` gives for its lifetime; with a lifetime of 0 or less only while it is being obtained. */
export function cacheByToken(obtain: Obtain, { onLookup, onExchange }: CredentialsWatch): ServiceCredentials {
  const cache = new LRUCache<string, Entry>({ max: MAX_CALLERS, ttl: SHARED_MS })

  const fetchInto = (key: string, caller: Caller, headers: Part['headers']): Entry => {
    const startedAt = performance.now()
    const pending = obtain(caller, headers).then(({ credentials, lifetimeMs }) => {
      onExchange(outcomeOf(credentials), (performance.now() - startedAt) / 1000)
      // What was dropped meanwhile stays dropped.
      if (cache.peek(key) !== entry) return credentials
      entry.value = credentials
      if (lifetimeMs > 0) cache.set(key, entry, { ttl: lifetimeMs })
      else cache.delete(key)
      return credentials
    })
    const entry: Entry = { pending, value: undefined }
    cache.set(key, entry)
    return entry
  }

  return {
    of(caller, opened) {
      const key = keyOf(caller)
      const known = cache.get(key)
      onLookup(known ? 'hit' : 'miss')
      if (known?.value) return known.value
      const part = opened.begin('exchange')
      // Of those who share a request it has the id of the first.
      const headers = { ...part.headers, 'X-Request-Id': opened.requestId }
      const { pending } = known ?? fetchInto(key, caller, headers)
      return pending.then((credentials) => {
        part.end(outcomeOf(credentials))
        return credentials
      })
    },
    forget(caller, refused) {
      const key = keyOf(caller)
      // Of many calls with the same refused token only the first makes room for a new one.
      if (cache.peek(key)?.value === refused) cache.delete(key)
    },
    size: () => cache.size,
  }
}

function outcomeOf({ kind }: Credentials): ExchangeOutcome {
  return kind === 'headers' ? 'granted' : kind
}

function keyOf({ token }: Caller): string {
  return createHash('sha256').update(token).digest('base64')
}
