// Reads and writes of tickets in the SQL that SQLite and PostgreSQL share.
import { sql } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import type { Status, Ticket, TicketSummary } from '../../openapi/desk.gen.ts'
import type { TicketFilter } from '../rules/find-tickets.ts'
import { rowId } from './ids.ts'
import type { Tables } from './schema.ts'
import type { Page, PageRequest } from './store.ts'
import type { View } from '../rules/view.ts'

/** How a database turns the words of a query into conditions on `tickets.id`. */
export type MatchesOfWords = (query: string, view: View) => Expression<SqlBool>[]

/** Newest first. */
export async function listTickets(
  db: Kysely<Tables>,
  filter: TicketFilter,
  page: PageRequest,
  view: View,
  matchesOfWords: MatchesOfWords,
): Promise<Page<TicketSummary>> {
  const conditions = conditionsOf(filter, view, matchesOfWords)
  const before = page.after === null ? [] : [sql<SqlBool>`tickets.id < ${rowId(page.after)}`]
  const rows = await selectTickets(db, view)
    .where((eb) => eb.and([...conditions, ...before]))
    .orderBy('tickets.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  const shown = rows.slice(0, page.limit)
  const tags = await tagsOf(db, shown)
  return {
    rows: shown.map((row) => summaryOf(row, tags)),
    total: await countMatches(db, conditions),
    next: rows.length > page.limit ? String(shown.at(-1)?.id) : null,
  }
}

/** Every ticket, oldest first. */
export async function listAllTickets(
  db: Kysely<Tables>,
  page: PageRequest,
  view: View,
): Promise<Page<Ticket>> {
  const rows = await selectTickets(db, view)
    .where('tickets.id', '>', rowId(page.after ?? '0') ?? 0n)
    .orderBy('tickets.id')
    .limit(page.limit + 1)
    .execute()
  const shown = rows.slice(0, page.limit)
  const tags = await tagsOf(db, shown)
  return {
    rows: shown.map((row) => ticketOf(row, tags)),
    total: await countMatches(db, []),
    next: rows.length > page.limit ? String(shown.at(-1)?.id) : null,
  }
}

export async function findTicket(db: Kysely<Tables>, id: string, view: View): Promise<Ticket | undefined> {
  const key = rowId(id)
  if (key === undefined) return undefined
  const row = await selectTickets(db, view).where('tickets.id', '=', key).executeTakeFirst()
  return row && ticketOf(row, await tagsOf(db, [row]))
}

/** The whole desk, by status. */
export async function countTickets(db: Kysely<Tables>): Promise<Record<Status, number>> {
  const rows = await db
    .selectFrom('tickets')
    .select((eb) => ['status', eb.fn.countAll().as('count')] as const)
    .groupBy('status')
    .execute()
  const counts = { open: 0, closed: 0 }
  for (const { status, count } of rows) counts[status] = Number(count)
  return counts
}

async function countMatches(db: Kysely<Tables>, conditions: Expression<SqlBool>[]): Promise<number> {
  const { total } = await db
    .selectFrom('tickets')
    .select((eb) => eb.fn.countAll().as('total'))
    .where((eb) => eb.and(conditions))
    .executeTakeFirstOrThrow()
  return Number(total)
}

function conditionsOf(
  filter: TicketFilter,
  view: View,
  matchesOfWords: MatchesOfWords,
): Expression<SqlBool>[] {
  const { query, status, priority, assignee, requester, owner, tag } = filter
  const conditions = query === undefined ? [] : matchesOfWords(query, view)
  const equal = (column: string, value: string) => sql<SqlBool>`${sql.ref(column)} = ${value}`
  if (status !== undefined) conditions.push(equal('tickets.status', status))
  if (priority !== undefined) conditions.push(equal('tickets.priority', priority))
  if (assignee !== undefined) conditions.push(equal('tickets.assignee_id', assignee))
  if (requester !== undefined) conditions.push(equal('tickets.requester_id', requester))
  if (owner !== undefined) conditions.push(equal('tickets.requester_id', owner))
  if (tag !== undefined) {
    conditions.push(sql<SqlBool>`tickets.id in (select ticket_id from ticket_tags where tag = ${tag})`)
  }
  return conditions
}

function selectTickets(db: Kysely<Tables>, view: View) {
  return db
    .selectFrom('tickets')
    .innerJoin('people as requester', 'requester.id', 'tickets.requester_id')
    .leftJoin('people as assignee', 'assignee.id', 'tickets.assignee_id')
    .selectAll('tickets')
    .select(['requester.name as requester_name', 'assignee.name as assignee_name'])
    .select((eb) =>
      eb
        .selectFrom('comments')
        .select((count) => count.fn.countAll().as('count'))
        .whereRef('comments.ticket_id', '=', 'tickets.id')
        .$if(!view.internal, (readable) => readable.where('comments.visibility', '=', 'public'))
        .as('comment_count'),
    )
}

type TicketRow = Awaited<ReturnType<ReturnType<typeof selectTickets>['executeTakeFirstOrThrow']>>

async function tagsOf(db: Kysely<Tables>, tickets: readonly TicketRow[]): Promise<Map<bigint, string[]>> {
  const tags = new Map(tickets.map(({ id }) => [id, [] as string[]]))
  if (tickets.length === 0) return tags
  const rows = await db
    .selectFrom('ticket_tags')
    .select(['ticket_id', 'tag'])
    .where('ticket_id', 'in', [...tags.keys()])
    .orderBy('ticket_id')
    .orderBy('position')
    .execute()
  for (const { ticket_id, tag } of rows) tags.get(ticket_id)?.push(tag)
  return tags
}

function ticketOf(row: TicketRow, tags: Map<bigint, string[]>): Ticket {
  const { id, subject, ...rest } = summaryOf(row, tags)
  return { id, subject, body: row.body, ...rest, resolution: row.resolution }
}

function summaryOf(row: TicketRow, tags: Map<bigint, string[]>): TicketSummary {
  return {
    id: `T-${String(row.id)}`,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    requester: { id: row.requester_id, name: row.requester_name },
    assignee:
      row.assignee_id === null ? null : { id: row.assignee_id, name: row.assignee_name ?? row.assignee_id },
    tags: tags.get(row.id) ?? [],
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    comment_count: Number(row.comment_count),
  }
}
