// Reads of comments in the SQL that SQLite and PostgreSQL share.
import type { Kysely } from 'kysely'
import type { Comment } from '../../openapi/desk.gen.ts'
import { rowId } from './ids.ts'
import type { Tables } from './schema.ts'
import type { Page, PageRequest } from './store.ts'
import type { View } from '../rules/view.ts'

/** Oldest first. */
export async function listComments(
  db: Kysely<Tables>,
  ticketId: string,
  page: PageRequest,
  view: View,
): Promise<Page<Comment>> {
  const key = rowId(ticketId)
  if (key === undefined) return { rows: [], total: 0, next: null }
  const rows = await selectComments(db)
    .where('comments.ticket_id', '=', key)
    .where('comments.id', '>', rowId(page.after ?? '0') ?? 0n)
    .$if(!view.internal, (all) => all.where('comments.visibility', '=', 'public'))
    .orderBy('comments.id')
    .limit(page.limit + 1)
    .execute()
  const { total } = await db
    .selectFrom('comments')
    .select((eb) => eb.fn.countAll().as('total'))
    .where('ticket_id', '=', key)
    .$if(!view.internal, (all) => all.where('visibility', '=', 'public'))
    .executeTakeFirstOrThrow()
  const shown = rows.slice(0, page.limit)
  return {
    rows: shown.map(commentOf),
    total: Number(total),
    next: rows.length > page.limit ? String(shown.at(-1)?.id) : null,
  }
}

export async function readComment(db: Kysely<Tables>, id: bigint): Promise<Comment> {
  return commentOf(await selectComments(db).where('comments.id', '=', id).executeTakeFirstOrThrow())
}

function selectComments(db: Kysely<Tables>) {
  return db
    .selectFrom('comments')
    .innerJoin('people', 'people.id', 'comments.author_id')
    .selectAll('comments')
    .select(['people.name', 'people.role'])
}

function commentOf(
  row: Awaited<ReturnType<ReturnType<typeof selectComments>['executeTakeFirstOrThrow']>>,
): Comment {
  return {
    id: `C-${String(row.id)}`,
    author: { id: row.author_id, name: row.name, role: row.role },
    body: row.body,
    visibility: row.visibility,
    created_at: row.created_at,
  }
}
