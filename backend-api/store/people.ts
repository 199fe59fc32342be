// The people of the desk in the SQL that SQLite and PostgreSQL share.
import type { Kysely } from 'kysely'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import type { Tables } from './schema.ts'

export async function findPerson(db: Kysely<Tables>, id: string): Promise<PersonWithRole | undefined> {
  return await db.selectFrom('people').selectAll().where('id', '=', id).executeTakeFirst()
}

/** By id. */
export async function listStaff(db: Kysely<Tables>): Promise<PersonWithRole[]> {
  return await db.selectFrom('people').selectAll().where('role', '=', 'staff').orderBy('id').execute()
}

/** Makes people known, or known under a new name or role. */
export async function savePeople(db: Kysely<Tables>, people: readonly PersonWithRole[]): Promise<void> {
  if (people.length === 0) return
  await db
    .insertInto('people')
    .values(people.map(({ id, name, role }) => ({ id, name, role })))
    .onConflict((known) =>
      known
        .column('id')
        .doUpdateSet((eb) => ({ name: eb.ref('excluded.name'), role: eb.ref('excluded.role') })),
    )
    .execute()
}

/** Makes people known and leaves those who are known as they are. */
export async function addUnknownPeople(db: Kysely<Tables>, people: readonly PersonWithRole[]): Promise<void> {
  await db
    .insertInto('people')
    .values(people.map(({ id, name, role }) => ({ id, name, role })))
    .onConflict((known) => known.column('id').doNothing())
    .execute()
}
