// One request with a token of our own in it: the token fetched, the breaker asked, a refused token replaced once.
import type { Pool } from 'undici'
import type { Breaker } from './breaker.ts'
import type { Caller } from './caller.ts'
import type { OpenCall, PartDetails } from './open-call.ts'
import { poolRequest, type PoolRequest } from './pool-request.ts'
import type { Reply } from './reply.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'
import { waitUntil } from './wait-until.ts'

export interface AuthorizedRequestPorts {
  readonly pool: Pool
  readonly credentials: ServiceCredentials
  readonly breaker: Breaker
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Told when the issuer or the service refuses the gateway itself: the operator's fault, not the caller's. */
  readonly onCredentialFault: (detail: string, requestId: string) => void
}

export type AuthorizedRequest = (caller: Caller, opened: OpenCall, request: PoolRequest) => Promise<Reply>

/** Sends the request on behalf of the caller. Never rejects. */
export function createAuthorizedRequest(ports: AuthorizedRequestPorts): AuthorizedRequest {
  const { pool, credentials, breaker, now, onCredentialFault } = ports
  return async (caller, opened, request) => {
    for (let attempt = 1; ; attempt++) {
      const obtained = await waitUntil(credentials.of(caller, opened), request.signal)
      // The deadline has passed or the caller is gone: then nothing has been sent, and that is worth saying.
      if (!obtained || request.signal.aborted) return { kind: 'fault', sent: false, reason: 'timeout' }
      if (obtained.kind !== 'headers') return withoutCredentials(obtained, opened.requestId)
      Object.assign(request.headers, obtained.headers)
      const reply = await breaker(() => send(opened, request))
      if (reply.kind !== 'answer' || reply.status !== 401) return reply
      // A service that has changed its keys refuses a token that was good: one new token settles whose fault it is.
      credentials.forget(caller, obtained)
      if (attempt === 2) {
        onCredentialFault('the ticket service refuses our token', opened.requestId)
        return { kind: 'no_credential', reason: 'token_refused' }
      }
    }
  }

  async function send(opened: OpenCall, request: PoolRequest): Promise<Reply> {
    const part = opened.begin('attempt')
    Object.assign(request.headers, part.headers)
    const reply = await poolRequest(pool, request, now)
    part.end(attemptOutcome(reply), detailsOf(reply))
    return reply
  }

  function withoutCredentials(refusal: Exclude<Credentials, { kind: 'headers' }>, requestId: string): Reply {
    if (refusal.kind === 'issuer_unavailable') onCredentialFault(refusal.cause, requestId)
    return { kind: 'no_credential', reason: refusal.kind }
  }
}

/** One of a closed set: the class of the status, or why there is none. */
function attemptOutcome(reply: Reply): string {
  if (reply.kind === 'answer') return `${Math.floor(reply.status / 100)}xx`
  return reply.kind === 'fault' ? reply.reason : reply.kind
}

function detailsOf(reply: Reply): PartDetails | undefined {
  if (reply.kind === 'answer') return reply
  return reply.kind === 'fault' ? { cause: reply.cause } : undefined
}
