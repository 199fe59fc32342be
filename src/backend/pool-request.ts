// One HTTP exchange over the keep-alive pool, with every bound in place. Knows no token and no ticket.
import { Pool } from 'undici'
import { retryAfterSeconds, type Reply } from './reply.ts'

/** 200 tickets of an export page are 256 KiB; eight times that leaves room and still bounds memory. */
const MAX_REPLY_BYTES = 2 * 1024 * 1024
/** Shorter than the service's 65 s, so that a reused connection is never one that the service is closing. */
const KEEP_ALIVE_MS = 30_000
const CONNECT_TIMEOUT_MS = 3_000
const MAX_CONNECTIONS = 64

/** Codes that mean that no byte of the request has left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export interface PoolRequest {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** Pool for one origin. Replies have no time-out of their own: the caller's signal is the deadline. */
export function createPool(origin: string): Pool {
  return new Pool(origin, {
    connections: MAX_CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Sends the request and reads at most 2 MiB of the reply. Redirects are not followed. Never rejects. */
export async function poolRequest(pool: Pool, request: PoolRequest, now: () => number): Promise<Reply> {
  try {
    const { statusCode, headers, body } = await pool.request({
      path: request.path,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal: request.signal,
    })
    const retryAfterS = retryAfterSeconds(first(headers['retry-after']), now())
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      // Leaving the loop destroys the stream and its connection.
      if (bytes > MAX_REPLY_BYTES) return { kind: 'unreadable', status: statusCode, retryAfterS }
      chunks.push(chunk)
    }
    if ((first(headers['content-encoding']) ?? 'identity') !== 'identity')
      return { kind: 'unreadable', status: statusCode, retryAfterS }
    return {
      kind: 'answer',
      status: statusCode,
      mediaType: mediaTypeOf(headers['content-type']),
      text: Buffer.concat(chunks).toString('utf8'),
      bytes,
      retryAfterS,
    }
  } catch (error) {
    return { kind: 'fault', ...faultOf(error, request.signal) }
  }
}

function faultOf(error: unknown, signal: AbortSignal): Omit<Extract<Reply, { kind: 'fault' }>, 'kind'> {
  if (signal.aborted) {
    const reason: unknown = signal.reason
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
    return { sent: true, reason: timedOut ? 'timeout' : 'cancelled' }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { sent: !NEVER_SENT.has(code), reason: 'connection', cause: code }
}

function mediaTypeOf(header: string | string[] | undefined): string {
  return (first(header) ?? '').replace(/;.*/s, '').trim().toLowerCase()
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
