// Opens one SQLite file as kysely sees it. One process per file; kysely's mutex gives the connection to one task at a time.
import Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { CompiledQuery, Kysely, SqliteDialect } from 'kysely'
import type { Dialect } from 'kysely'
import type { Tables } from '../schema.ts'

const BUSY_TIMEOUT_MS = 5_000
const MAX_PREPARED_STATEMENTS = 200

/** Creates the file when it does not exist. Integers come back as BigInt. */
export function openDatabase(path: string): Kysely<Tables> {
  const file = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  file.defaultSafeIntegers(true)
  file.pragma('journal_mode = WAL')
  file.pragma('synchronous = NORMAL')
  file.pragma('foreign_keys = ON')
  return new Kysely<Tables>({
    dialect: immediateTransactions(new SqliteDialect({ database: keepStatements(file) })),
  })
}

/** Neither makes nor changes the file; fails with SQLITE_CANTOPEN when there is none. */
export function openDatabaseForReading(path: string): Kysely<Tables> {
  const file = new Database(path, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true })
  file.defaultSafeIntegers(true)
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) })
}

/** Writers take the lock when they begin: one that waited for it only later would have to start over. */
function immediateTransactions(dialect: SqliteDialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver()
      driver.beginTransaction = async (connection, { accessMode }) => {
        const begin = accessMode === 'read only' ? 'begin deferred' : 'begin immediate'
        await connection.executeQuery(CompiledQuery.raw(begin))
      }
      return driver
    },
  }
}

/** Preparing costs more than most queries, and the set of queries is small. */
function keepStatements(file: Database.Database) {
  const prepared = new LRUCache<string, Database.Statement>({ max: MAX_PREPARED_STATEMENTS })
  return {
    prepare: (sql: string) => {
      const known = prepared.get(sql)
      if (known !== undefined) return known
      const statement = file.prepare(sql)
      prepared.set(sql, statement)
      return statement
    },
    close: () => {
      file.close()
    },
  }
}
