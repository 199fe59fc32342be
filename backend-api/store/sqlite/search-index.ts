// The word index, FTS5 flavour. Contentless: the texts live in their own tables and are never changed.
import { sql } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import type { Tables } from '../schema.ts'
import type { View } from '../../rules/view.ts'
import { searchableWords, wordsOfQuery } from '../words.ts'
import type { Document } from '../words.ts'

/** Adds texts to the index. A word costs the same however many comments its ticket has. */
export async function indexDocuments(db: Kysely<Tables>, documents: readonly Document[]): Promise<void> {
  if (documents.length === 0) return
  const rows = await db
    .insertInto('search_documents')
    .values(documents.map(({ ticketId, visibility }) => ({ ticket_id: ticketId, visibility })))
    .returning('id')
    .execute()
  const entries = documents.map(({ text }, at) => sql`(${rows[at]?.id}, ${searchableWords(text)})`)
  await sql`insert into search_index (rowid, words) values ${sql.join(entries)}`.execute(db)
}

/** One condition on a ticket's id per word of the query; they may be met by different texts of the ticket. */
export function matchesOfWords(query: string, view: View): Expression<SqlBool>[] {
  const words = wordsOfQuery(query)
  if (words.length === 0) return [sql<SqlBool>`false`]
  const visible = view.internal ? sql`` : sql`and d.visibility = 'public'`
  // Words are letters, marks and digits only, so nothing inside the quotes can be an operator.
  return words.map(
    (word) => sql<SqlBool>`tickets.id in (
      select d.ticket_id from search_index join search_documents d on d.id = search_index.rowid
      where search_index match ${`"${word}"`} ${visible}
    )`,
  )
}
