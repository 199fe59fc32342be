// Who may address this server, and from which web pages: the defence against DNS rebinding, and CORS for the few.
import type { RequestHandler } from 'express'
import { refuse } from './refuse.ts'

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Traceparent, Tracestate'
const EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id'
const PREFLIGHT_MAX_AGE_S = 7200

/** A `Host` that is not listed is refused. An entry with a port stands for that port, one without for any. */
export function checkHost(allowed: readonly string[]): RequestHandler {
  const known = new Set(allowed.map((host) => host.toLowerCase()))
  return (req, res, next) => {
    const host = (req.headers.host ?? '').toLowerCase()
    if (known.has(host) || known.has(host.replace(/:\d+$/, ''))) next()
    else
      refuse(res, 403, 'This Host is not served here. Use the public URL, or add the host to ALLOWED_HOSTS.')
  }
}

/**
 * A foreign `Origin` is refused; an allowed one gets the CORS headers on every answer, refusals included.
 * Preflights are answered here, without a token.
 */
export function checkOrigin(allowed: readonly string[]): RequestHandler {
  const known = new Set(allowed)
  return (req, res, next) => {
    const { origin } = req.headers
    if (origin !== undefined && !known.has(origin)) {
      refuse(
        res,
        403,
        'Pages of this Origin may not call this server. Add the origin to ALLOWED_ORIGINS to let them.',
      )
      return
    }
    if (origin !== undefined) {
      res.setHeader('Access-Control-Allow-Origin', origin)
      res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    }
    res.setHeader('Vary', 'Origin')
    if (req.method !== 'OPTIONS') {
      next()
      return
    }
    res.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS')
    res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_MAX_AGE_S)
    res.status(204).end()
  }
}
