// A page of the export: bounded in tickets and in bytes, and at least one ticket.
import type { TicketDetail } from '../../openapi/desk.gen.ts'
import type { DeskReads } from '../store/store.ts'
import type { View } from '../rules/view.ts'
import { jsonBytes } from './byte-budget.ts'
import { commentsToExport } from './comment-page.ts'

const MAX_TICKETS = 200
const MAX_PAGE_BYTES = 262_144
// Brackets, names, the total and the cursor around the tickets.
const ENVELOPE_BYTES = 1_024

export interface ExportedTickets {
  readonly tickets: TicketDetail[]
  readonly total: number
  /** The key to continue after, or null. */
  readonly next: string | null
}

/** `sealComments` makes the cursor for the comments of a ticket that did not fit. */
export async function exportPage(
  desk: DeskReads,
  after: string | null,
  view: View,
  sealComments: (ticketId: string, key: string) => string,
): Promise<ExportedTickets> {
  const { rows, total, next } = await desk.listAllTickets({ after, limit: MAX_TICKETS }, view)
  const tickets: TicketDetail[] = []
  let bytes = ENVELOPE_BYTES
  for (const ticket of rows) {
    const comments = await commentsToExport(desk, ticket, view)
    const cursor = comments.next === null ? null : sealComments(ticket.id, comments.next)
    const detail = { ticket, comments: comments.rows, comments_next_cursor: cursor }
    bytes += jsonBytes(detail) + 1
    const last = tickets.at(-1)
    if (last !== undefined && bytes > MAX_PAGE_BYTES) {
      return { tickets, total, next: last.ticket.id.slice('T-'.length) }
    }
    tickets.push(detail)
  }
  return { tickets, total, next }
}
