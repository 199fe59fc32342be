// Fills a desk in bulk: the rows, search documents and events that requests would leave, many per statement.
import { sql } from 'kysely'
import type { Insertable, Kysely } from 'kysely'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import type { IndexDocuments } from './apply-change.ts'
import { savePeople } from './people.ts'
import type { Tables } from './schema.ts'
import type { TicketToLoad } from './store.ts'
import type { Document } from './words.ts'

// Databases take a limited number of values per statement (SQLite: 32,766).
const TICKETS_PER_BATCH = 100
const ROWS_PER_STATEMENT = 1_000

/** Inside one transaction. See `DeskLoader`. */
export async function load(
  db: Kysely<Tables>,
  people: readonly PersonWithRole[],
  tickets: Iterable<TicketToLoad>,
  clientId: string,
  indexDocuments: IndexDocuments,
): Promise<number> {
  await savePeople(db, people)
  let id = await largestTicketId(db)
  let count = 0
  for (const batch of batches(tickets, TICKETS_PER_BATCH)) {
    const numbered = batch.map((ticket) => ({ id: ++id, ticket }))
    await insert(db, 'tickets', numbered.map(ticketRow))
    await insert(db, 'ticket_tags', numbered.flatMap(tagRows))
    await insert(db, 'comments', numbered.flatMap(commentRows))
    await insert(
      db,
      'events',
      numbered.flatMap((entry) => eventRows(entry, clientId)),
    )
    for (const documents of batches(numbered.flatMap(documentsOf), ROWS_PER_STATEMENT)) {
      await indexDocuments(db, documents)
    }
    count += batch.length
  }
  return count
}

interface Numbered {
  readonly id: bigint
  readonly ticket: TicketToLoad
}

async function largestTicketId(db: Kysely<Tables>): Promise<bigint> {
  const row = await db.selectFrom('tickets').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0n
}

function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function insert<Name extends keyof Tables>(
  db: Kysely<Tables>,
  table: Name,
  rows: readonly Insertable<Tables[Name]>[],
): Promise<void> {
  for (const some of batches(rows, ROWS_PER_STATEMENT)) {
    const columns = Object.keys(some[0] ?? {})
    const values = some.map((row) => sql`(${sql.join(Object.values(row))})`)
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      values ${sql.join(values)}`.execute(db)
  }
}

function ticketRow({ id, ticket }: Numbered) {
  const { subject, body, priority, requesterId, assigneeId, createdAt, closed, comments } = ticket
  const publicTimes = comments
    .filter(({ visibility }) => visibility === 'public')
    .map((comment) => comment.createdAt)
  const updatedAt = [createdAt, ...publicTimes, ...(closed ? [closed.at] : [])].sort().at(-1) ?? createdAt
  return {
    id,
    subject,
    body,
    status: closed ? ('closed' as const) : ('open' as const),
    priority,
    requester_id: requesterId,
    assignee_id: assigneeId,
    created_at: createdAt,
    updated_at: updatedAt,
    closed_at: closed?.at ?? null,
    resolution: closed?.resolution ?? null,
  }
}

function tagRows({ id, ticket }: Numbered) {
  return ticket.tags.map((tag, position) => ({ ticket_id: id, position, tag }))
}

function commentRows({ id, ticket }: Numbered) {
  return ticket.comments.map(({ authorId, body, visibility, createdAt }) => ({
    ticket_id: id,
    author_id: authorId,
    body,
    visibility,
    created_at: createdAt,
  }))
}

function eventRows({ id, ticket }: Numbered, clientId: string) {
  const { requesterId, createdAt, closed, comments } = ticket
  const event = (type: Tables['events']['type'], actorId: string, at: string) => ({
    type,
    ticket_id: id,
    actor_id: actorId,
    client_id: clientId,
    created_at: at,
  })
  return [
    event('ticket_created', requesterId, createdAt),
    ...comments.map(({ authorId, createdAt: at }) => event('ticket_commented', authorId, at)),
    ...(closed ? [event('ticket_closed', closed.byId, closed.at)] : []),
  ].sort((one, other) => one.created_at.localeCompare(other.created_at))
}

function documentsOf({ id, ticket }: Numbered): Document[] {
  return [
    { ticketId: id, visibility: 'public', text: `${ticket.subject}\n${ticket.body}` },
    ...ticket.comments.map(({ body, visibility }) => ({ ticketId: id, visibility, text: body })),
  ]
}
