// Digests of passwords in the SQL that SQLite and PostgreSQL share. Knows nothing of how they are made.
import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

export interface Passwords {
  findPasswordHash(personId: string): Promise<string | undefined>
  /** The person must exist. */
  savePasswordHash(personId: string, hash: string): Promise<void>
}

export function passwordsOf(db: Kysely<Tables>): Passwords {
  return {
    async findPasswordHash(personId) {
      const row = await db
        .selectFrom('passwords')
        .select('hash')
        .where('person_id', '=', personId)
        .executeTakeFirst()
      return row?.hash
    },
    async savePasswordHash(personId, hash) {
      await db
        .insertInto('passwords')
        .values({ person_id: personId, hash })
        .onConflict((held) => held.column('person_id').doUpdateSet({ hash }))
        .execute()
    },
  }
}
