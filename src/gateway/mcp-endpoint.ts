// The Streamable HTTP endpoint: both protocol eras through the SDK, without its web streams where an answer is one message.
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type McpServerFactory,
} from '@modelcontextprotocol/server'
import type { Request as HttpRequest, RequestHandler, Response as HttpResponse } from 'express'
import { callerOf } from './authenticate.ts'
import { permitOf } from './bill-call.ts'
import type { RequestContext } from './mcp-server.ts'
import { requestIdOf } from './request-id.ts'
import { isEventStream, pipeStream, writeMessage } from './write-answer.ts'

const KEEP_ALIVE_MS = 15_000
/** What the SDK's transports want to see; what the client really accepts is settled when the answer is written. */
const ACCEPT_BOTH = 'application/json, text/event-stream'
const MAX_SUBSCRIPTIONS = 1_024

export interface McpEndpoint {
  readonly handle: RequestHandler
  readonly openStreams: () => number
  /** Waits for the calls in flight, then ends open streams. */
  close(): Promise<void>
}

export interface McpEndpointPorts {
  readonly factory: McpServerFactory
  readonly onError: (error: Error) => void
  readonly keepAliveMs?: number
  /** Told of each message but the tool calls that have a result: `''` or the code of the JSON-RPC error it got. */
  readonly onOperation?: (method: string, errorType: string, seconds: number) => void
}

/** Serves one parsed JSON-RPC message per request; `authenticate` and `readMessage` come before it. */
export function createMcpEndpoint({
  factory,
  onError,
  keepAliveMs = KEEP_ALIVE_MS,
  onOperation = () => undefined,
}: McpEndpointPorts): McpEndpoint {
  const modern = createMcpHandler(factory, {
    legacy: 'reject',
    onerror: onError,
    keepAliveMs,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  })

  async function serve(req: HttpRequest, res: HttpResponse): Promise<void> {
    const startedAt = performance.now()
    const request = webRequest(req, res)
    const parsedBody: unknown = req.body
    const authInfo = authInfoOf(req, res)
    const legacy = await isLegacyRequest(request, parsedBody)
    const response = legacy
      ? await serveLegacy(factory, request, parsedBody, authInfo)
      : await modern.fetch(request, { parsedBody, authInfo })
    if (res.destroyed) return
    const errorType = isEventStream(response)
      ? openStream(response, res)
      : await writeMessage(response, req, res)
    const { method } = parsedBody as { method?: unknown }
    if (method !== 'tools/call' || errorType !== '')
      onOperation(
        typeof method === 'string' ? method : 'other',
        errorType,
        (performance.now() - startedAt) / 1000,
      )
  }

  let openStreams = 0
  function openStream(response: Response, res: HttpResponse): '' {
    streams.add(res)
    openStreams++
    res.once('close', () => openStreams--)
    pipeStream(response, res)
    return ''
  }

  /** A stream leaves this set when it opens, a call when it is answered. */
  const inFlight = new Set<Promise<void>>()
  return {
    handle(req, res) {
      // Who has left while the token was checked or the call billed sends no signal any more.
      if (res.destroyed) return
      const served = serve(req, res).finally(() => inFlight.delete(served))
      inFlight.add(served)
      return served
    },
    openStreams: () => openStreams,
    async close() {
      // The SDK's close would cut off calls along with the streams.
      while (inFlight.size > 0) await Promise.allSettled(inFlight)
      await modern.close()
    },
  }
}

/** Revisions up to 2025-11-25: one server and one transport per request, the answer as JSON. */
async function serveLegacy(
  factory: McpServerFactory,
  request: Request,
  parsedBody: unknown,
  authInfo: AuthInfo,
): Promise<Response> {
  const server = await factory({ era: 'legacy', authInfo, requestInfo: request })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const gone = new Promise<Response>((resolve) => {
    request.signal.addEventListener('abort', () => {
      resolve(new Response(null, { status: 499 }))
    })
  })
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody, authInfo }), gone])
  } finally {
    // Ends the handler's signal too, so that a client that has gone away stops the call to the service.
    await server.close()
  }
}

const streams = new WeakSet<HttpResponse>()

/** Whether the answer is an event stream that stays open. */
export function isStream(res: HttpResponse): boolean {
  return streams.has(res)
}

/** The SDK carries `extra` to the handlers as it is; the token stays out of what the SDK sees. */
function authInfoOf({ headers }: HttpRequest, res: HttpResponse): AuthInfo {
  const caller = callerOf(res)
  const extra: RequestContext = { caller, requestId: requestIdOf(res), permit: permitOf(res), headers }
  return {
    token: '',
    clientId: caller.clientId,
    scopes: [...caller.scopes],
    expiresAt: caller.expiresAt,
    extra: { ...extra },
  }
}

/** Headers and abort signal only: the body has been read. */
function webRequest(req: HttpRequest, res: HttpResponse): Request {
  const left = new AbortController()
  res.on('close', () => {
    if (!res.writableFinished) left.abort()
  })
  const headers = new Headers({ 'content-type': 'application/json', accept: ACCEPT_BOTH })
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id']) {
    const value = req.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request('http://gateway.invalid/mcp', { method: 'POST', headers, signal: left.signal })
}
