// HEAD is GET without the content (RFC 9110 section 9.3.2); the contract describes GET, and Node leaves the content out.
import type { RequestHandler } from 'express'

/** For the steps that look the operation up in the contract. */
export const asDescribed: RequestHandler = (request, response, next) => {
  response.locals.methodSent = request.method
  if (request.method === 'HEAD') request.method = 'GET'
  next()
}

/** For the steps after them. */
export const asSent: RequestHandler = (request, response, next) => {
  request.method = response.locals.methodSent ?? request.method
  next()
}
