import type { RequestHandler } from 'express'

/** While the service drains, each answer ends its connection: an idle one would hold the server open. */
export function closeWhenStopping(stopping: AbortSignal): RequestHandler {
  return (_request, response, next) => {
    if (stopping.aborted) response.set('Connection', 'close')
    next()
  }
}
