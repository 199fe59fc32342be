// Pages of comments that are bounded in rows and in bytes.
import type { Comment, Ticket } from '../../openapi/desk.gen.ts'
import type { DeskReads, PageRequest } from '../store/store.ts'
import type { View } from '../rules/view.ts'
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
export async function commentsThatFit(
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

/** As many comments as an export carries with their ticket. */
export async function commentsToExport(
  desk: DeskReads,
  ticket: Ticket,
  view: View,
): Promise<CommentsThatFit> {
  if (ticket.comment_count === 0) return { rows: [], total: 0, next: null }
  return await commentsThatFit(desk, ticket.id, { after: null, limit: MAX_EXPORTED_COMMENTS }, view)
}
