// Carries out what a rule decided: the rows, the search documents and the event of one change. Judges nothing.
import type { Kysely } from 'kysely'
import type { Comment, Ticket } from '../../openapi/desk.gen.ts'
import type { Answer, Change, TicketCommented, TicketCreated } from '../rules/change.ts'
import { readComment } from './comments.ts'
import { rowId } from './ids.ts'
import type { Tables } from './schema.ts'
import type { WriteRequest } from './store.ts'
import { findTicket } from './tickets.ts'
import type { Document } from './words.ts'

/** How a database adds texts to its word index. */
export type IndexDocuments = (db: Kysely<Tables>, documents: readonly Document[]) => Promise<void>

/** Inside the transaction of the write. Returns what the caller gets to see. */
export async function applyChange<C extends Change>(
  db: Kysely<Tables>,
  change: C,
  { view, requestId }: Pick<WriteRequest, 'view' | 'requestId'>,
  indexDocuments: IndexDocuments,
): Promise<Answer<C>> {
  const ticketId =
    change.type === 'ticket_created' ? await createTicket(db, change, indexDocuments) : keyOf(change)
  const commentId =
    change.type === 'ticket_commented' ? await addComment(db, change, ticketId, indexDocuments) : undefined
  await updateTicket(db, change, ticketId)
  const { type, actorId, clientId, at } = change
  await db
    .insertInto('events')
    .values({
      type,
      ticket_id: ticketId,
      actor_id: actorId,
      client_id: clientId,
      created_at: at,
      request_id: requestId,
    })
    .execute()
  const answer: Comment | Ticket | undefined =
    commentId === undefined ? await findTicket(db, String(ticketId), view) : await readComment(db, commentId)
  // The branch above is the definition of Answer<C>, which the compiler cannot follow.
  return answer as Answer<C>
}

function keyOf(change: Exclude<Change, TicketCreated>): bigint {
  const key = rowId(change.ticketId)
  if (key === undefined) throw new Error('A rule decided to change a ticket that cannot exist.')
  return key
}

async function createTicket(
  db: Kysely<Tables>,
  change: TicketCreated,
  indexDocuments: IndexDocuments,
): Promise<bigint> {
  const { subject, body, priority, tags, actorId, at } = change
  const { id } = await db
    .insertInto('tickets')
    .values({
      subject,
      body,
      priority,
      status: 'open',
      requester_id: actorId,
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = tags.map((tag, position) => ({ ticket_id: id, position, tag }))
  if (rows.length > 0) await db.insertInto('ticket_tags').values(rows).execute()
  await indexDocuments(db, [{ ticketId: id, visibility: 'public', text: `${subject}\n${body}` }])
  return id
}

async function addComment(
  db: Kysely<Tables>,
  { body, visibility, actorId, at }: TicketCommented,
  ticketId: bigint,
  indexDocuments: IndexDocuments,
): Promise<bigint> {
  const { id } = await db
    .insertInto('comments')
    .values({ ticket_id: ticketId, author_id: actorId, body, visibility, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  await indexDocuments(db, [{ ticketId, visibility, text: body }])
  return id
}

async function updateTicket(db: Kysely<Tables>, change: Change, ticketId: bigint): Promise<void> {
  const columns = columnsOf(change)
  if (columns === undefined) return
  await db
    .updateTable('tickets')
    .set({ ...columns, updated_at: change.at })
    .where('id', '=', ticketId)
    .execute()
}

function columnsOf(change: Change) {
  switch (change.type) {
    case 'ticket_created':
      return undefined
    case 'ticket_commented':
      // An internal comment leaves no trace on the ticket, which customers read.
      return change.visibility === 'internal' ? undefined : {}
    case 'ticket_closed':
      return { status: 'closed', closed_at: change.at, resolution: change.resolution } as const
    case 'ticket_reopened':
      return { status: 'open', closed_at: null, resolution: null } as const
    case 'ticket_assigned':
      return { assignee_id: change.assigneeId }
  }
}
