// Answers that are given before a message reaches MCP: one JSON-RPC error body, whatever was wrong.
import type { Response } from 'express'

const INVALID_REQUEST = -32600
const PARSE_ERROR = -32700
/** Outside -32768..-32000, which JSON-RPC and MCP keep for themselves. */
const TOO_MANY_REQUESTS = 429

/** Refuses at HTTP level. The message says what was wrong, what is expected and what to do. */
export function refuse(res: Response, status: number, message: string, id: unknown = null): void {
  const code = status === 400 && message.startsWith('Parse error') ? PARSE_ERROR : INVALID_REQUEST
  res.status(status).json({ jsonrpc: '2.0', id: echoable(id), error: { code, message } })
}

/** Refuses with 429, `Retry-After` (RFC 6585 section 4) and the same seconds in the body. */
export function refuseForNow(res: Response, retryAfterS: number, message: string, id: unknown = null): void {
  res.setHeader('Retry-After', retryAfterS)
  const error = { code: TOO_MANY_REQUESTS, message, data: { retry_after_s: retryAfterS } }
  res.status(429).json({ jsonrpc: '2.0', id: echoable(id), error })
}

/** JSON-RPC 2.0 section 5: the request's id where there is one, else null. */
function echoable(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
