// The state of the embedded authorization server in the SQL that SQLite and PostgreSQL share. Knows no OAuth.
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { passwordsOf } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import type { Tables } from './schema.ts'

const ENTRIES_PER_MODEL_MAX = 10_000
const PUTS_PER_TRIM = 100
const TRIMMED_AT_ONCE_MAX = 1_000
const PURGED_PER_PUT = 20

/** `payload` is JSON. `id` must not be a secret: hand in a digest. */
export interface IdentityEntry {
  readonly model: string
  readonly id: string
  readonly payload: string
  readonly grantId: string | null
  readonly uid: string | null
  /** Whose sign-in it is part of, where it is known. */
  readonly accountId: string | null
  readonly expiresAt: Date
}

/** `payload` is JSON. */
export interface FoundEntry {
  readonly payload: string
  readonly consumedAt: Date | undefined
}

/** Entries are gone once they expire; of each model 10,000 are kept, and those that expire soonest go first. */
export interface IdentityState extends Passwords {
  put(entry: IdentityEntry, now: Date): Promise<void>
  find(model: string, id: string, now: Date): Promise<FoundEntry | undefined>
  findByUid(model: string, uid: string, now: Date): Promise<FoundEntry | undefined>
  /** True for the first to consume it, and for nobody after. */
  consume(model: string, id: string, now: Date): Promise<boolean>
  /** Makes an entry live until `until` at the least. */
  extend(model: string, id: string, until: Date): Promise<void>
  remove(model: string, id: string): Promise<void>
  /** Removes what belongs to a grant; of one model only where one is named. */
  removeByGrant(grantId: string, model?: string): Promise<void>
  /** Removes what belongs to a person: sessions, grants, codes, refresh tokens. */
  removeByAccount(accountId: string): Promise<void>
}

export function identityStateOf(db: Kysely<Tables>): IdentityState {
  const puts = new Map<string, number>()
  const current = (model: string, now: Date) =>
    db
      .selectFrom('identity_entries')
      .select(['payload', 'consumed_at'])
      .where('model', '=', model)
      .where('expires_at', '>', now.toISOString())
  return {
    ...passwordsOf(db),
    async put(entry, now) {
      await db
        .insertInto('identity_entries')
        .values(rowOf(entry))
        .onConflict((held) => held.columns(['model', 'id']).doUpdateSet(rowOf(entry)))
        .execute()
      await purgeExpired(db, now)
      const count = (puts.get(entry.model) ?? 0) + 1
      puts.set(entry.model, count)
      if (count % PUTS_PER_TRIM === 0) await trim(db, entry.model)
    },
    find: async (model, id, now) => found(await current(model, now).where('id', '=', id).executeTakeFirst()),
    findByUid: async (model, uid, now) =>
      found(await current(model, now).where('uid', '=', uid).executeTakeFirst()),
    async consume(model, id, now) {
      const { numUpdatedRows } = await db
        .updateTable('identity_entries')
        .set({ consumed_at: now.toISOString() })
        .where('model', '=', model)
        .where('id', '=', id)
        .where('consumed_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    async extend(model, id, until) {
      await db
        .updateTable('identity_entries')
        .set({ expires_at: until.toISOString() })
        .where('model', '=', model)
        .where('id', '=', id)
        .where('expires_at', '<', until.toISOString())
        .execute()
    },
    async remove(model, id) {
      await db.deleteFrom('identity_entries').where('model', '=', model).where('id', '=', id).execute()
    },
    async removeByGrant(grantId, model) {
      const all = db.deleteFrom('identity_entries').where('grant_id', '=', grantId)
      await (model === undefined ? all : all.where('model', '=', model)).execute()
    },
    async removeByAccount(accountId) {
      await db.deleteFrom('identity_entries').where('account_id', '=', accountId).execute()
    },
  }
}

function rowOf({ model, id, payload, grantId, uid, accountId, expiresAt }: IdentityEntry) {
  const expires_at = expiresAt.toISOString()
  return { model, id, payload, grant_id: grantId, uid, account_id: accountId, expires_at }
}

function found(row: { payload: string; consumed_at: string | null } | undefined): FoundEntry | undefined {
  return row && { payload: row.payload, consumedAt: row.consumed_at ? new Date(row.consumed_at) : undefined }
}

// A few at a time, so that no single sign-in pays for a day of them.
async function purgeExpired(db: Kysely<Tables>, now: Date): Promise<void> {
  await sql`delete from identity_entries where (model, id) in (
    select model, id from identity_entries where expires_at <= ${now.toISOString()}
    order by expires_at limit ${PURGED_PER_PUT}
  )`.execute(db)
}

async function trim(db: Kysely<Tables>, model: string): Promise<void> {
  await sql`delete from identity_entries where (model, id) in (
    select model, id from identity_entries where model = ${model}
    order by expires_at desc limit ${TRIMMED_AT_ONCE_MAX} offset ${ENTRIES_PER_MODEL_MAX}
  )`.execute(db)
}
