// How a request to the ticket service shows who it is for. One port, two ways: token exchange, or a signed assertion.
import type { Caller } from './caller.ts'

export type Credentials =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  /** The issuer does not stand by this person's token any more. */
  | { readonly kind: 'subject_refused' }
  | { readonly kind: 'issuer_unavailable'; readonly cause: string }

export interface ServiceCredentials {
  /** Headers for requests on behalf of the caller, from a cache where they are fresh. Never rejects. */
  readonly of: (caller: Caller) => Promise<Credentials>
  /** Drops what is cached, for when the service has refused it. */
  readonly forget: (caller: Caller) => void
}
