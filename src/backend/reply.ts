// What came back from the ticket service, as one closed union. Nothing here throws: a dead backend is a value too.

export type Reply =
  | Answer
  /** A body that must not be looked at: too large, or in an encoding that nobody asked for. */
  | { readonly kind: 'unreadable'; readonly status: number; readonly retryAfterS: number | undefined }
  /** No answer. `sent` is false only when it is certain that the service saw nothing of the request. */
  | {
      readonly kind: 'fault'
      readonly sent: boolean
      readonly reason: 'connection' | 'timeout' | 'cancelled'
      /** Code of the error behind it, for the log: ECONNREFUSED, ENOTFOUND, UND_ERR_SOCKET and the like. */
      readonly cause?: string
    }
  /** The service has failed so often of late that nothing was sent. */
  | { readonly kind: 'breaker_open'; readonly retryAfterS: number }
  /** No token for the service: the issuer is out of reach, refuses this person, or the service refuses our token. */
  | {
      readonly kind: 'no_credential'
      readonly reason: 'issuer_unavailable' | 'subject_refused' | 'token_refused'
    }

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  /** Media type without parameters, lower case; empty when there is none. */
  readonly mediaType: string
  readonly text: string
  /** Of the body as it came. */
  readonly bytes: number
  /** `Retry-After` in whole seconds, when the reply carries a usable one. */
  readonly retryAfterS: number | undefined
}

const MAX_RETRY_AFTER_S = 86_400

/**
 * Reads `Retry-After` in both of its forms, seconds or an HTTP date (RFC 9110, section 10.2.3).
 * Returns whole seconds from 1 to one day; undefined when absent, past, or not readable.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const value = header.trim()
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now) / 1000)
  return seconds >= 1 ? Math.min(seconds, MAX_RETRY_AFTER_S) : undefined
}
