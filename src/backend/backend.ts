// The only door to the ticket service: a typed client per caller, with a token of our own in every request.
import createClient, { type Client } from 'openapi-fetch'
import type { paths } from '../../openapi/desk.gen.ts'
import { createAuthorizedRequest, type AuthorizedRequestPorts } from './authorized-request.ts'
import type { Caller } from './caller.ts'
import type { OpenCall } from './open-call.ts'
import { poolRequest, type PoolRequest } from './pool-request.ts'
import type { Reply } from './reply.ts'
import type { Retry } from './retry.ts'

/** For what is read outside a tool call, which brings its own deadline. */
const PUBLIC_TIMEOUT_MS = 5_000

export type DeskApi = Client<paths>

export interface Backend {
  /** The service's operations as this caller; `replyOf` gives what came back. The request id goes along as X-Request-Id. */
  as(caller: Caller, opened: OpenCall): DeskApi
  /** The desk's policy, which is public. */
  policy(signal: AbortSignal): Promise<Reply>
  /** Whether the service says that it is ready. */
  ready(signal: AbortSignal): Promise<boolean>
}

export interface BackendOptions extends AuthorizedRequestPorts {
  /** Path that all operations share, e.g. `/v1`. */
  readonly basePath: string
  readonly retry: Retry
}

/** Operations reach the wire through `Pool.request`; web Request and Response objects would cost more than the call. */
export function createBackend(options: BackendOptions): Backend {
  const { pool, basePath, breaker, retry, now } = options
  const authorized = createAuthorizedRequest(options)
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

  const call = (caller: Caller, opened: OpenCall, request: PoolRequest) =>
    retry(() => authorized(caller, opened, request), {
      isWrite: request.method !== 'GET',
      signal: request.signal,
    })

  return {
    as: (caller, opened) =>
      createClient<paths>({
        baseUrl: basePath,
        headers: { 'X-Request-Id': opened.requestId },
        Request: BackendRequest as unknown as typeof globalThis.Request,
        fetch: async (request) =>
          carry(await call(caller, opened, (request as unknown as BackendRequest).toPoolRequest())),
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
