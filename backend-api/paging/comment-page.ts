// Pages of comments that are bounded in rows and in bytes.
import type { Comment, Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from '../rules/caller.ts'
import { ok } from '../rules/refusal.ts'
import type { Result } from '../rules/refusal.ts'
import { viewTicket } from '../rules/view-ticket.ts'
import { viewOf } from '../rules/view.ts'
import type { View } from '../rules/view.ts'
import type { DeskReads, PageRequest } from '../store/store.ts'
import { takeBytes } from './byte-budget.ts'

const MAX_PAGE_BYTES = 65_536
// More than fit the bytes when each is as short as can be.
const MAX_EXPORTED_COMMENTS = 500

export interface CommentsThatFit {
  readonly rows: Comment[]
  readonly total: number
  /** The key to continue after, or null. */
  readonly next: string | null
}

/** At most 64 KiB of JSON, at least one comment where there is one. */
async function commentsThatFit(
  desk: DeskReads,
  ticketId: string,
  page: PageRequest,
  view: View,
): Promise<CommentsThatFit> {
  const { rows, total, next } = await desk.listComments(ticketId, page, view)
  const shown = takeBytes(rows, MAX_PAGE_BYTES)
  const cut = shown.length < rows.length ? shown.at(-1)?.id.slice('C-'.length) : undefined
  return { rows: [...shown], total, next: cut ?? next }
}

/** A ticket with a page of its comments; nothing more is read for a caller who may not see it. */
export async function ticketWithComments(
  desk: DeskReads,
  ticketId: string,
  page: PageRequest,
  caller: Caller,
): Promise<Result<{ readonly ticket: Ticket; readonly comments: CommentsThatFit }>> {
  const view = viewOf(caller)
  const ticket = viewTicket(await desk.findTicket(ticketId, view), caller)
  if (!ticket.ok) return ticket
  return ok({ ticket: ticket.value, comments: await commentsThatFit(desk, ticketId, page, view) })
}

/** As many comments as an export carries with their ticket. */
export async function commentsToExport(
  desk: DeskReads,
  ticket: Ticket,
  view: View,
): Promise<CommentsThatFit> {
  if (ticket.comment_count === 0) return { rows: [], total: 0, next: null }
  return await commentsThatFit(desk, ticket.id, { after: null, limit: MAX_EXPORTED_COMMENTS }, view)
}
