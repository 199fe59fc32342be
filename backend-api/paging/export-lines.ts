// The whole desk as newline-delimited JSON, a TicketDetail a line, in bounded memory.
import type { Ticket } from '../../openapi/desk.gen.ts'
import type { DeskReads } from '../store/store.ts'
import type { View } from '../rules/view.ts'

const TICKETS_PER_READ = 50
const COMMENTS_PER_READ = 50
const CHUNK_CHARACTERS = 16_384

/** The tickets after the key; text in pieces of about 16 K, and a piece may end anywhere in a line. */
export async function* exportLines(
  desk: DeskReads,
  start: string | null,
  view: View,
): AsyncGenerator<string> {
  let chunk = ''
  for await (const piece of pieces(desk, start, view)) {
    chunk += piece
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

async function* pieces(desk: DeskReads, start: string | null, view: View): AsyncGenerator<string> {
  let after = start
  do {
    const { rows, next } = await desk.listAllTickets({ after, limit: TICKETS_PER_READ }, view)
    for (const ticket of rows) {
      yield `{"ticket":${JSON.stringify(ticket)},"comments":[`
      yield* commentsOf(desk, ticket, view)
      yield '],"comments_next_cursor":null}\n'
    }
    after = next
  } while (after !== null)
}

// Only the comments that the ticket had when it was read, so that its `comment_count` stays true.
async function* commentsOf(desk: DeskReads, ticket: Ticket, view: View): AsyncGenerator<string> {
  let after: string | null = null
  let left = ticket.comment_count
  while (left > 0) {
    const limit = Math.min(left, COMMENTS_PER_READ)
    const { rows, next } = await desk.listComments(ticket.id, { after, limit }, view)
    const start = left === ticket.comment_count ? '' : ','
    yield start + rows.map((comment) => JSON.stringify(comment)).join(',')
    left = next === null ? 0 : left - rows.length
    after = next
  }
}
