import type { RequestHandler } from 'express'
import type { CreatedTicket, TicketDetail, TicketPage } from '../../openapi/desk.gen.ts'
import { entityTagOf, isCurrent } from '../http/entity-tag.ts'
import { callerOf } from '../http/locals.ts'
import { sendFault, sendRefusal } from '../http/send-problem.ts'
import { ticketWithComments } from '../paging/comment-page.ts'
import type { CursorScope } from '../paging/cursor.ts'
import { createTicket } from '../rules/create-ticket.ts'
import { findTickets } from '../rules/find-tickets.ts'
import { viewOf } from '../rules/view.ts'
import { wordsOfQuery } from '../store/words.ts'
import type { RouteDependencies } from './dependencies.ts'
import { bodyOf, queryOf, ticketIdOf } from './parsed.ts'
import { writeDesk } from './write.ts'

const DEFAULT_LIMIT = 20
// Each is a search of its own, and nobody else is served meanwhile.
const MAX_WORDS = 10

export function listTicketsRoute({ store, cursors }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const { cursor, limit = DEFAULT_LIMIT, ...filter } = queryOf<'listTickets'>(request)
    if (wordsOfQuery(filter.query ?? '').length > MAX_WORDS) {
      const detail = `query: must have at most ${MAX_WORDS} different words. Search for the rarest of them.`
      sendFault(response, { kind: 'invalid_request', field: 'query', detail })
      return
    }
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
    response.locals.ticketId = answer.id
    response.status(replayed ? 200 : 201).json({ ticket: answer, created: !replayed } satisfies CreatedTicket)
  }
}

/** The ticket and the comments of one answer belong to one moment. */
export function getTicketRoute({ store, cursors }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const id = ticketIdOf(request)
    const { comments_cursor: cursor, comments_limit: limit = DEFAULT_LIMIT } = queryOf<'getTicket'>(request)
    const scope: CursorScope = { list: 'comments', caller, filter: { ticket: id } }
    const after = cursor === undefined ? null : cursors.open(scope, cursor)
    if (after === undefined) {
      sendFault(response, { kind: 'invalid_cursor', field: 'comments_cursor' })
      return
    }
    const read = await store.snapshot((desk) => ticketWithComments(desk, id, { after, limit }, caller))
    if (!read.ok) {
      sendRefusal(response, read.refusal)
      return
    }
    const { ticket, comments } = read.value
    // Without the cursor, which is new each time.
    const tag = entityTagOf([ticket, comments.rows, comments.next])
    response.set('ETag', tag)
    if (isCurrent(request.get('If-None-Match'), tag)) {
      response.status(304).end()
      return
    }
    response.json({
      ticket,
      comments: comments.rows,
      comments_next_cursor: comments.next === null ? null : cursors.seal(scope, comments.next),
    } satisfies TicketDetail)
  }
}
