import type { RequestHandler } from 'express'

const TICKET_ID = /^T-[1-9][0-9]{0,18}$/

/** Leaves the route's template, and the ticket that the path names, for the log and the metrics. */
export function nameRoute(route: string): RequestHandler {
  return (request, response, next) => {
    response.locals.route = route
    const { id } = request.params
    if (typeof id === 'string' && TICKET_ID.test(id)) response.locals.ticketId = id
    next()
  }
}
