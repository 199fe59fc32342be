import type { RequestHandler } from 'express'
import type { CreatedTicket, TicketDetail, TicketPage } from '../../openapi/desk.gen.ts'
import { entityTagOf, isCurrent } from '../http/entity-tag.ts'
import { callerOf } from '../http/locals.ts'
import { sendFault, sendRefusal } from '../http/send-problem.ts'
import { commentsThatFit } from '../paging/comment-page.ts'
import type { CursorScope } from '../paging/cursor.ts'
import { createTicket } from '../rules/create-ticket.ts'
import { findTickets } from '../rules/find-tickets.ts'
import { viewTicket } from '../rules/view-ticket.ts'
import { viewOf } from '../rules/view.ts'
import type { RouteDependencies } from './dependencies.ts'
import { bodyOf, queryOf, ticketIdOf } from './parsed.ts'
import { writeDesk } from './write.ts'

const DEFAULT_LIMIT = 20

export function listTicketsRoute({ store, cursors }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const { cursor, limit = DEFAULT_LIMIT, ...filter } = queryOf<'listTickets'>(request)
    const scope: CursorScope = { list: 'tickets', caller, filter }
    const after = cursor === undefined ? null : cursors.open(scope, cursor)
    if (after === undefined) {
      sendFault(response, { kind: 'invalid_cursor', field: 'cursor' })
      return
    }
    const page = await store.snapshot((desk) =>
      desk.listTickets(findTickets(filter, caller), { after, limit }, viewOf(caller)),
    )
    response.json({
      tickets: [...page.rows],
      total: page.total,
      next_cursor: page.next === null ? null : cursors.seal(scope, page.next),
    } satisfies TicketPage)
  }
}

export function createTicketRoute(dependencies: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const written = await writeDesk(dependencies, request, response, (_desk, caller, now) =>
      Promise.resolve(createTicket(bodyOf<'createTicket'>(request), caller, now)),
    )
    if (!written.ok) {
      sendRefusal(response, written.refusal)
      return
    }
    const { answer, replayed } = written.value
    response.status(replayed ? 200 : 201).json({ ticket: answer, created: !replayed } satisfies CreatedTicket)
  }
}

/** The ticket and the comments of one answer belong to one moment. */
export function getTicketRoute({ store, cursors }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const view = viewOf(caller)
    const id = ticketIdOf(request)
    const { comments_cursor: cursor, comments_limit: limit = DEFAULT_LIMIT } = queryOf<'getTicket'>(request)
    const scope: CursorScope = { list: 'comments', caller, filter: { ticket: id } }
    const after = cursor === undefined ? null : cursors.open(scope, cursor)
    if (after === undefined) {
      sendFault(response, { kind: 'invalid_cursor', field: 'comments_cursor' })
      return
    }
    const { ticket, comments } = await store.snapshot(async (desk) => ({
      ticket: viewTicket(await desk.findTicket(id, view), caller),
      comments: await commentsThatFit(desk, id, { after, limit }, view),
    }))
    if (!ticket.ok) {
      sendRefusal(response, ticket.refusal)
      return
    }
    // Without the cursor, which is new each time.
    const tag = entityTagOf([ticket.value, comments.rows, comments.next])
    response.set('ETag', tag)
    if (isCurrent(request.get('If-None-Match'), tag)) {
      response.status(304).end()
      return
    }
    response.json({
      ticket: ticket.value,
      comments: comments.rows,
      comments_next_cursor: comments.next === null ? null : cursors.seal(scope, comments.next),
    } satisfies TicketDetail)
  }
}
