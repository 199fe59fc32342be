import type { RequestHandler } from 'express'
import type { Logger } from 'pino'

/** One line per request when it is over; an allow-list of fields, so that no token and no ticket text gets in. */
export function logRequests(log: Logger, monotonicMs: () => number): RequestHandler {
  return (request, response, next) => {
    const startedAt = monotonicMs()
    response.once('close', () => {
      const { requestId, caller } = response.locals
      const route = (request.route as { path?: string } | undefined)?.path
      log.info(
        {
          method: request.method,
          route: route === undefined ? null : request.baseUrl + route,
          status: response.statusCode,
          finished: response.writableFinished,
          duration_ms: Math.round((monotonicMs() - startedAt) * 1000) / 1000,
          request_id: requestId,
          caller_id: caller?.id,
          client_id: caller?.clientId,
        },
        'request',
      )
    })
    next()
  }
}
