// Credentials by the hash of the caller's token: fetched once, shared by those who ask at the same time, bounded.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Caller } from './caller.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'

const MAX_CALLERS = 10_000
/** How long those who ask at the same time share one request; no request takes longer. */
const SHARED_MS = 10_000

type Obtain = (caller: Caller) => Promise<{ readonly credentials: Credentials; readonly lifetimeMs: number }>

/** Keeps what `obtain` gives for its lifetime; with a lifetime of 0 or less only while it is being obtained. */
export function cacheByToken(obtain: Obtain): ServiceCredentials {
  const cache = new LRUCache<string, Promise<Credentials>>({ max: MAX_CALLERS, ttl: SHARED_MS })
  return {
    of(caller) {
      const key = keyOf(caller)
      const known = cache.get(key)
      if (known) return known
      const obtained = obtain(caller).then(({ credentials, lifetimeMs }) => {
        // What was dropped meanwhile stays dropped.
        if (cache.peek(key) !== obtained) return credentials
        if (lifetimeMs > 0) cache.set(key, obtained, { ttl: lifetimeMs })
        else cache.delete(key)
        return credentials
      })
      cache.set(key, obtained)
      return obtained
    },
    forget: (caller) => void cache.delete(keyOf(caller)),
  }
}

function keyOf({ token }: Caller): string {
  return createHash('sha256').update(token).digest('base64')
}
