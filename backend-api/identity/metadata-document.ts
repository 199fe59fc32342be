// Client ID metadata documents (draft-ietf-oauth-client-id-metadata-document): a client's id is the URL that describes it.

import { LRUCache } from 'lru-cache'
import { errors, type ClientMetadata } from 'oidc-provider'
import { isLoopback } from './loopback.ts'
import { publicClient } from './public-client.ts'
import type { FetchPublicly } from './fetch-publicly.ts'
import { createRate } from './rate.ts'

const CACHED_MAX = 1_000
const CACHED_MS = 10 * 60_000
const ATTEMPT_CACHED_MS = 10_000
const FETCHES_PER_MINUTE_MAX = 60
// The desk writes the client's id next to every change.
const ID_CHARACTERS_MAX = 200

/** Undefined for an id that is no document's URL; throws `invalid_client` when there is none to be had there. */
export type FindDocumentClient = (id: string) => Promise<ClientMetadata | undefined>

export interface DocumentOptions {
  readonly fetch: FetchPublicly
  /** The authorization server is one for this machine: documents may be on it, over http too. */
  readonly local: boolean
  /** The time in milliseconds. */
  readonly now: () => number
}

export function createDocumentClients({ fetch, local, now }: DocumentOptions): FindDocumentClient {
  const documents = new LRUCache<string, ClientMetadata>({
    max: CACHED_MAX,
    ttl: CACHED_MS,
    noDeleteOnStaleGet: true,
  })
  // Apart from the documents: whoever makes up ids must not push out clients that exist.
  const attempts = new LRUCache<string, Promise<ClientMetadata>>({ max: CACHED_MAX, ttl: ATTEMPT_CACHED_MS })
  const rate = createRate({ max: FETCHES_PER_MINUTE_MAX, window_ms: 60_000, now })

  const describe = async (id: string): Promise<ClientMetadata> => {
    if (rate.waitOf('all') > 0) {
      const old = documents.get(id, { allowStale: true })
      if (old) return old
      throw new errors.InvalidClient('too many new clients at the moment')
    }
    rate.add('all')
    const document = await fetch(id).catch((cause: unknown) => {
      throw new errors.InvalidClient('the document at the client_id could not be fetched', { cause })
    })
    if ((document as { client_id?: unknown } | null)?.client_id !== id) {
      throw new errors.InvalidClient('the document at the client_id must be about this client_id')
    }
    const client = publicClient(id, document)
    documents.set(id, client)
    return client
  }

  return async (id) => {
    if (!isDocumentUrl(id, local)) return undefined
    const known = documents.get(id) ?? attempts.get(id)
    if (known) return known
    const attempt = describe(id)
    attempts.set(id, attempt)
    return attempt
  }
}

/** Section 3 of the draft: https, a path, and none of what makes two spellings of one URL. */
function isDocumentUrl(id: string, local: boolean): boolean {
  const url = id.length <= ID_CHARACTERS_MAX ? URL.parse(id) : null
  if (!url || url.href !== id || url.pathname === '/' || url.hash !== '') return false
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (local && url.protocol === 'http:' && isLoopback(url.hostname))
}
