// The only door to the ticket service: a typed client per caller, with a token of our own in every request.
import createClient, { type Client } from 'openapi-fetch'
import type { Pool } from 'undici'
import type { paths } from '../../openapi/desk.gen.ts'
import type { Breaker } from './breaker.ts'
import type { Caller } from './caller.ts'
import { poolRequest, type PoolRequest } from './pool-request.ts'
import type { Reply } from './reply.ts'
import type { Retry } from './retry.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'
import { waitUntil } from './wait-until.ts'

/** For what is read outside a tool call, which brings its own deadline. */
const PUBLIC_TIMEOUT_MS = 5_000

export type DeskApi = Client<paths>

export interface Backend {
  /** The service's operations as this caller; `replyOf` gives what came back. `requestId` goes along as X-Request-Id. */
  as(caller: Caller, requestId: string): DeskApi
  /** The desk's policy, which is public. */
  policy(signal: AbortSignal): Promise<Reply>
  /** Whether the service says that it is ready. */
  ready(signal: AbortSignal): Promise<boolean>
}

export interface BackendOptions {
  readonly pool: Pool
  /** Path that all operations share, e.g. `/v1`. */
  readonly basePath: string
  readonly credentials: ServiceCredentials
  readonly breaker: Breaker
  readonly retry: Retry
  readonly now: () => number
  /** Told when the issuer or the service refuses the gateway itself: the operator's fault, not the caller's. */
  readonly onCredentialFault: (detail: string, requestId: string) => void
}

/** Operations reach the wire through `Pool.request`; web Request and Response objects would cost more than the call. */
export function createBackend(options: BackendOptions): Backend {
  const { pool, basePath, credentials, breaker, retry, now } = options
  const anonymous = (path: string, signal: AbortSignal) =>
    poolRequest(
      pool,
      {
        path: basePath + path,
        method: 'GET',
        headers: {},
        body: undefined,
        signal: AbortSignal.any([signal, AbortSignal.timeout(PUBLIC_TIMEOUT_MS)]),
      },
      now,
    )

  const call = (caller: Caller, requestId: string, request: PoolRequest) =>
    retry(() => authorized(caller, requestId, request), {
      isWrite: request.method !== 'GET',
      signal: request.signal,
    })

  async function authorized(caller: Caller, requestId: string, request: PoolRequest): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const obtained = await waitUntil(credentials.of(caller), request.signal)
      // The deadline has passed or the caller is gone: then nothing has been sent, and that is worth saying.
      if (!obtained || request.signal.aborted) return { kind: 'fault', sent: false, reason: 'timeout' }
      if (obtained.kind !== 'headers') return withoutCredentials(obtained, requestId)
      Object.assign(request.headers, obtained.headers)
      const reply = await breaker(() => poolRequest(pool, request, now))
      if (reply.kind !== 'answer' || reply.status !== 401) return reply
      // A service that has changed its keys refuses a token that was good: one new token settles whose fault it is.
      credentials.forget(caller)
      if (attempt === 2) {
        options.onCredentialFault('the ticket service refuses our token', requestId)
        return { kind: 'no_credential', reason: 'token_refused' }
      }
    }
  }

  function withoutCredentials(refusal: Exclude<Credentials, { kind: 'headers' }>, requestId: string): Reply {
    if (refusal.kind === 'issuer_unavailable') options.onCredentialFault(refusal.cause, requestId)
    return { kind: 'no_credential', reason: refusal.kind }
  }

  return {
    as: (caller, requestId) =>
      createClient<paths>({
        baseUrl: basePath,
        headers: { 'X-Request-Id': requestId },
        Request: BackendRequest as unknown as typeof globalThis.Request,
        fetch: async (request) =>
          carry(await call(caller, requestId, (request as unknown as BackendRequest).toPoolRequest())),
      }),
    policy: (signal) => breaker(() => anonymous('/policy', signal)),
    async ready(signal) {
      const reply = await anonymous('/readyz', signal)
      return reply.kind === 'answer' && reply.status === 200
    },
  }
}

/** Just what openapi-fetch reads of a Request. */
class BackendRequest {
  readonly method: 'GET' | 'POST'
  readonly #url: string
  readonly #init: RequestInit

  constructor(url: string, init: RequestInit) {
    this.method = init.method === 'POST' ? 'POST' : 'GET'
    this.#url = url
    this.#init = init
  }

  toPoolRequest(): PoolRequest {
    // An encoding that is not asked for is one that is not decoded (RFC 9110 section 12.5.3: without a wish any will do).
    const headers: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'identity' }
    new Headers(this.#init.headers).forEach((value, name) => (headers[name] = value))
    return {
      path: this.#url,
      method: this.method,
      headers,
      body: typeof this.#init.body === 'string' ? this.#init.body : undefined,
      signal: this.#init.signal ?? new AbortController().signal,
    }
  }
}

/** Dressed as an empty 204, so that openapi-fetch does not parse what the result mapping will judge. */
function carry(reply: Reply): Response {
  return { ok: true, status: 204, headers: new Headers(), reply } as unknown as Response
}

/** The reply behind what a typed call resolved with. */
export function replyOf(result: { response: Response }): Reply {
  return (result.response as unknown as { reply: Reply }).reply
}
