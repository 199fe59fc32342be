// The desk's events in the SQL that SQLite and PostgreSQL share: its audit and its feed of changes.
import type { Kysely } from 'kysely'
import type { Event } from '../../openapi/desk.gen.ts'
import { rowId } from './ids.ts'
import type { Tables } from './schema.ts'

/** Oldest first, after the given id. */
export async function listEvents(db: Kysely<Tables>, after: string, limit: number): Promise<Event[]> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'type', 'ticket_id', 'actor_id', 'client_id', 'created_at'])
    .where('id', '>', rowId(after) ?? 0n)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, id: String(row.id), ticket_id: `T-${String(row.ticket_id)}` }))
}

/** An event with the request that made it; null for what was loaded in bulk, or came before this was kept. */
export type TracedEvent = Event & { readonly request_id: string | null }

/** Of a ticket, or of a request. */
export type EventSearch = { readonly ticketId: string } | { readonly requestId: string }

/** The newest `limit` that match, oldest first. */
export async function findEvents(
  db: Kysely<Tables>,
  search: EventSearch,
  limit: number,
): Promise<TracedEvent[]> {
  const all = db.selectFrom('events').selectAll().orderBy('id', 'desc').limit(limit)
  const matching =
    'ticketId' in search
      ? all.where('ticket_id', '=', rowId(search.ticketId) ?? 0n)
      : all.where('request_id', '=', search.requestId)
  const rows = await matching.execute()
  return rows
    .map((row) => ({ ...row, id: String(row.id), ticket_id: `T-${String(row.ticket_id)}` }))
    .reverse()
}

export async function lastEventId(db: Kysely<Tables>): Promise<string> {
  const row = await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return String(row?.id ?? 0)
}
