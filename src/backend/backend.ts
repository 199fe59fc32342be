// The only door to the ticket service: a typed client per caller, with a token of our own in every request.
import createClient, { type Client } from 'openapi-fetch'
import type { Pool } from 'undici'
import type { paths } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { poolRequest, type PoolRequest } from './pool-request.ts'
import type { Reply } from './reply.ts'
import type { Exchanged, TokenExchange } from './token-exchange.ts'

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
  readonly tokens: TokenExchange
  readonly now: () => number
  /** Told when the issuer or the service refuses the gateway itself: the operator's fault, not the caller's. */
  readonly onCredentialFault: (detail: string, requestId: string) => void
}

/** Operations reach the wire through `Pool.request`; web Request and Response objects would cost more than the call. */
export function createBackend(options: BackendOptions): Backend {
  const { pool, basePath, tokens, now } = options
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

  async function authorized(caller: Caller, requestId: string, request: PoolRequest): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const exchanged = await tokens.exchange(caller)
      if (exchanged.kind !== 'token') return withoutToken(exchanged, requestId)
      // The exchange may have used the deadline up: then nothing has been sent, and that is worth saying.
      if (request.signal.aborted) return { kind: 'fault', sent: false, reason: 'timeout' }
      request.headers['authorization'] = `Bearer ${exchanged.token}`
      const reply = await poolRequest(pool, request, now)
      if (reply.kind !== 'answer' || reply.status !== 401) return reply
      // A service that has changed its keys refuses a token that was good: one new token settles whose fault it is.
      tokens.forget(caller)
      if (attempt === 2) {
        options.onCredentialFault('the ticket service refuses the exchanged token', requestId)
        return { kind: 'no_credential', reason: 'token_refused' }
      }
    }
  }

  function withoutToken(exchanged: Exclude<Exchanged, { kind: 'token' }>, requestId: string): Reply {
    if (exchanged.kind === 'issuer_unavailable') options.onCredentialFault(exchanged.cause, requestId)
    return { kind: 'no_credential', reason: exchanged.kind }
  }

  return {
    as: (caller, requestId) =>
      createClient<paths>({
        baseUrl: basePath,
        headers: { 'X-Request-Id': requestId },
        Request: BackendRequest as unknown as typeof globalThis.Request,
        fetch: async (request) =>
          carry(await authorized(caller, requestId, (request as unknown as BackendRequest).toPoolRequest())),
      }),
    policy: (signal) => anonymous('/policy', signal),
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
    const headers: Record<string, string> = { accept: 'application/json' }
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
