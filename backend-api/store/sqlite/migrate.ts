// Brings a SQLite file to the newest schema: every migration once, in the order of its name, all of it or nothing.
import { readFile, readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../schema.ts'

const MIGRATIONS = new URL('../migrations/', import.meta.url)

/** Fails with the name of the migration that failed; the schema is then as before it. */
export async function migrate(db: Kysely<Tables>, folder: URL = MIGRATIONS): Promise<void> {
  await sql`create table if not exists migrations (name text primary key, applied_at text not null)`.execute(
    db,
  )
  for (const name of (await readdir(folder)).sort()) {
    if (!/^\d{4}_\w+(\.sqlite)?\.sql$/.test(name)) continue
    const script = await readFile(new URL(name, folder), 'utf8')
    await apply(db, name, script).catch((cause: unknown) => {
      throw new Error(`Migration ${name} failed; the database is as it was before it.`, { cause })
    })
  }
}

async function apply(db: Kysely<Tables>, name: string, script: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // First, and in the transaction: of two processes that start at once, one applies it.
    const claimed = await sql`insert into migrations (name, applied_at) values (${name}, datetime('now'))
      on conflict do nothing`.execute(tx)
    if (claimed.numAffectedRows === 0n) return
    for (const statement of script.split(/;\s*\n/)) {
      if (statement.trim() !== '') await sql.raw(statement).execute(tx)
    }
  })
}
