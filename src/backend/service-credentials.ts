// How a request to the ticket service shows who it is for. One port, two ways: token exchange, or a signed assertion.
import type { Caller } from './caller.ts'
import type { OpenCall } from './open-call.ts'

export type Credentials =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** The issuer does not stand by this person's token any more. */
  | { readonly kind: 'subject_refused' }
  | { readonly kind: 'issuer_unavailable'; readonly cause: string }

export interface ServiceCredentials {
  /** Headers for requests on behalf of the caller, at once where they are cached. Never rejects. */
  readonly of: (caller: Caller, opened: OpenCall) => Credentials | Promise<Credentials>
  /** Drops what is cached, if it still is what the service has refused. */
  readonly forget: (caller: Caller, refused: Credentials) => void
  /** Callers in the cache. */
  readonly size: () => number
}
