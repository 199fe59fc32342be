import type { RequestHandler } from 'express'
import type { CommentPage } from '../../openapi/desk.gen.ts'
import { callerOf } from '../http/locals.ts'
import { sendFault, sendRefusal } from '../http/send-problem.ts'
import { ticketWithComments } from '../paging/comment-page.ts'
import type { CursorScope } from '../paging/cursor.ts'
import { commentOnTicket } from '../rules/comment-on-ticket.ts'
import { viewOf } from '../rules/view.ts'
import type { RouteDependencies } from './dependencies.ts'
import { bodyOf, queryOf, ticketIdOf } from './parsed.ts'
import { writeDesk } from './write.ts'

const DEFAULT_LIMIT = 20

export function listCommentsRoute({ store, cursors }: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response)
    const id = ticketIdOf(request)
    const { cursor, limit = DEFAULT_LIMIT } = queryOf<'listComments'>(request)
    const scope: CursorScope = { list: 'comments', caller, filter: { ticket: id } }
    const after = cursor === undefined ? null : cursors.open(scope, cursor)
    if (after === undefined) {
      sendFault(response, { kind: 'invalid_cursor', field: 'cursor' })
      return
    }
    const read = await store.snapshot((desk) => ticketWithComments(desk, id, { after, limit }, caller))
    if (!read.ok) {
      sendRefusal(response, read.refusal)
      return
    }
    const { comments } = read.value
    response.json({
      comments: comments.rows,
      total: comments.total,
      next_cursor: comments.next === null ? null : cursors.seal(scope, comments.next),
    } satisfies CommentPage)
  }
}

export function commentOnTicketRoute(dependencies: RouteDependencies): RequestHandler {
  return async (request, response) => {
    const id = ticketIdOf(request)
    const written = await writeDesk(dependencies, request, response, async (desk, caller, now) =>
      commentOnTicket(
        await desk.findTicket(id, viewOf(caller)),
        bodyOf<'commentOnTicket'>(request),
        caller,
        now,
      ),
    )
    if (written.ok) response.status(201).json(written.value.answer)
    else sendRefusal(response, written.refusal)
  }
}
