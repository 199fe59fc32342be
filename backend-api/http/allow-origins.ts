import type { RequestHandler } from 'express'

const EXPOSED = 'ETag, X-Request-Id, Retry-After, WWW-Authenticate, Idempotency-Replayed'
const ACCEPTED = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id'
const PREFLIGHT_LIFETIME_SECONDS = 600

/** CORS (Fetch standard) for the listed origins; set before anything can fail, so that errors are readable too. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin')
    const origin = request.get('Origin')
    const allowed = origin !== undefined && origins.includes(origin)
    if (allowed)
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED })
    if (request.method !== 'OPTIONS' || request.get('Access-Control-Request-Method') === undefined) {
      next()
      return
    }
    if (allowed) {
      response.set({
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': ACCEPTED,
        'Access-Control-Max-Age': String(PREFLIGHT_LIFETIME_SECONDS),
      })
    }
    response.status(204).end()
  }
}
