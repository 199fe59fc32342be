import type { RequestHandler } from 'express'

const ACCEPTED = /^[A-Za-z0-9._-]{8,64}$/

/** Every answer names its request: by the caller's own X-Request-Id when it is a plain one, else by a new id. */
export function assignRequestId(mintId: () => string): RequestHandler {
  return (request, response, next) => {
    const given = request.get('X-Request-Id')
    const id = given !== undefined && ACCEPTED.test(given) ? given : mintId()
    response.locals.requestId = id
    response.set('X-Request-Id', id)
    next()
  }
}
