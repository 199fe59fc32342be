// Where the authorization server keeps sessions, interactions, grants and codes: in memory, bounded.
// The oldest entry goes first; whoever loses one signs in again. Access tokens are JWTs and are not kept.

import { LRUCache } from 'lru-cache'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

const ENTRIES_MAX = 5_000

/** A new, empty store in the shape that oidc-provider asks for; one per authorization server. */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new LRUCache<string, AdapterPayload>({ max: ENTRIES_MAX })
  return (model) => adapterOf(model, entries)
}

function adapterOf(model: string, entries: LRUCache<string, AdapterPayload>): Adapter {
  const keyOf = (id: string): string => `${model}:${id}`
  const find = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    entries.find((payload, key) => key.startsWith(`${model}:`) && matches(payload))

  return {
    upsert(id, payload, lifetime_s) {
      entries.set(keyOf(id), payload, lifetime_s === undefined ? {} : { ttl: lifetime_s * 1000 })
      return Promise.resolve()
    },
    find: (id) => Promise.resolve(entries.get(keyOf(id))),
    findByUid: (uid) => Promise.resolve(find((payload) => payload.uid === uid)),
    findByUserCode: (userCode) => Promise.resolve(find((payload) => payload.userCode === userCode)),
    consume(id) {
      const payload = entries.get(keyOf(id))
      if (payload) payload.consumed = true
      return Promise.resolve()
    },
    destroy(id) {
      entries.delete(keyOf(id))
      return Promise.resolve()
    },
    revokeByGrantId(grantId) {
      for (const [key, payload] of [...entries.entries()]) {
        if (key.startsWith(`${model}:`) && payload.grantId === grantId) entries.delete(key)
      }
      return Promise.resolve()
    },
  }
}
