import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findEvents } from '../../backend-api/store/events.ts'
import { identityStateOf } from '../../backend-api/store/identity-state.ts'
import { openDatabase } from '../../backend-api/store/sqlite/database.ts'
import { migrate } from '../../backend-api/store/sqlite/migrate.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'
import { describeStore } from './store-suite.ts'

describeStore('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-store-'))
  const store = await openSqliteStore(join(folder, 'desk.sqlite'))
  return {
    store,
    remove: async () => {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
})

test('a migration that fails leaves nothing, names itself, and runs once it is mended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-migrations-'))
  const from = pathToFileURL(`${folder}/`)
  const db = openDatabase(':memory:')
  await writeFile(join(folder, '0001_first.sql'), 'create table first (id integer primary key);')
  await writeFile(
    join(folder, '0002_second.sql'),
    'create table second (id integer);\ninsert into nowhere values (1);',
  )
  await expect(migrate(db, from)).rejects.toThrow('0002_second.sql')
  const names = async () =>
    (
      await sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`.execute(
        db,
      )
    ).rows
  expect(await names()).toEqual([{ name: 'first' }, { name: 'migrations' }])

  await writeFile(join(folder, '0002_second.sql'), 'create table second (id integer);')
  await migrate(db, from)
  await migrate(db, from)
  expect(await names()).toEqual([{ name: 'first' }, { name: 'migrations' }, { name: 'second' }])
  await db.destroy()
  await rm(folder, { recursive: true })
})

test('a desk from before requests and accounts were kept is brought up to date, and nothing in it is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-migrations-'))
  const migrations = new URL('../../backend-api/store/migrations/', import.meta.url)
  for (const name of ['0001_desk.sql', '0002_search.sqlite.sql', '0003_identity.sql'])
    await copyFile(new URL(name, migrations), join(folder, name))
  const db = openDatabase(':memory:')
  await migrate(db, pathToFileURL(`${folder}/`))
  await rm(folder, { recursive: true })
  for (const statement of [
    `insert into people values ('carol', 'Carol', 'customer')`,
    `insert into tickets values (1, 's', 'b', 'open', 'low', 'carol', null, 'now', 'now', null, null)`,
    `insert into events values (1, 'ticket_created', 1, 'carol', 'client', 'now')`,
    `insert into identity_entries (model, id, payload, expires_at) values ('Session', 'a', '{"accountId":"carol"}', 'z')`,
    `insert into identity_entries (model, id, payload, expires_at) values ('Client', 'b', '{}', 'z')`,
  ])
    await sql.raw(statement).execute(db)
  await migrate(db)
  expect(await findEvents(db, { ticketId: 'T-1' }, 10)).toMatchObject([{ id: '1', request_id: null }])
  await identityStateOf(db).removeByAccount('carol')
  const left = await db.selectFrom('identity_entries').select('model').execute()
  expect(left).toEqual([{ model: 'Client' }])
  await expect(sql.raw(`update events set request_id = ''`).execute(db)).rejects.toThrow(/constraint/i)
  await db.destroy()
})

test('of two processes that start at once one migrates, and both start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-migrations-'))
  const path = join(folder, 'desk.sqlite')
  // Both have looked at the empty file before either of them writes.
  const [one, other] = [openDatabase(path), openDatabase(path)]
  await Promise.all([migrate(one), migrate(other)])
  await Promise.all([one.destroy(), other.destroy()])
  await rm(folder, { recursive: true })
})

test.each([
  ['closed without a time', `update tickets set status = 'closed', resolution = 'x'`],
  ['closed without a resolution', `update tickets set status = 'closed', closed_at = 'x'`],
  ['open with a resolution', `update tickets set resolution = 'x'`],
  ['an unknown assignee', `update tickets set assignee_id = 'nobody'`],
  ['an unknown status', `update tickets set status = 'pending'`],
  ['an unknown role', `update people set role = 'boss'`],
])('the schema refuses a ticket or person that is %s', async (_what, statement) => {
  const db = openDatabase(':memory:')
  await migrate(db)
  await sql`insert into people values ('carol', 'Carol', 'customer')`.execute(db)
  await sql`insert into tickets (subject, body, status, priority, requester_id, created_at, updated_at)
    values ('s', 'b', 'open', 'low', 'carol', 'now', 'now')`.execute(db)
  await expect(sql.raw(statement).execute(db)).rejects.toThrow(/constraint/i)
  await db.destroy()
})
