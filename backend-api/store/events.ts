// The desk's events in the SQL that SQLite and PostgreSQL share: its audit and its feed of changes.
import type { Kysely } from 'kysely'
import type { Event } from '../../openapi/desk.gen.ts'
import { rowId } from './ids.ts'
import type { Tables } from './schema.ts'

/** Oldest first, after the given id. */
export async function listEvents(db: Kysely<Tables>, after: string, limit: number): Promise<Event[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '>', rowId(after) ?? 0n)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, id: String(row.id), ticket_id: `T-${String(row.ticket_id)}` }))
}

export async function lastEventId(db: Kysely<Tables>): Promise<string> {
  const row = await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return String(row?.id ?? 0)
}
