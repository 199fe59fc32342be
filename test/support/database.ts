// Looks into the desk's SQLite file from outside, while the service uses it.
import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'

/** A digest of every row of every table: equal before and after means that nothing was changed. */
export function databaseDigest(path: string): string {
  return withDatabase(path, (db) => {
    const hash = createHash('sha256')
    for (const table of tablesOf(db)) {
      const rows = db.prepare(`select * from "${table}"`).raw().all() as unknown[][]
      hash.update(table).update(JSON.stringify(rows.map((row) => row.map(String)).sort()))
    }
    return hash.digest('hex')
  })
}

/** Rows of a query, as numbers and strings. */
export function query(path: string, sql: string): Record<string, unknown>[] {
  return withDatabase(path, (db) => db.prepare(sql).all() as Record<string, unknown>[])
}

function withDatabase<T>(path: string, use: (db: Database.Database) => T): T {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

function tablesOf(db: Database.Database): string[] {
  const rows = db.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'search_index')
}
