// `npm run account -- PERSON`: sets a person's password, and makes or changes the person. For who runs the desk.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { hashPassword } from '../identity/password.ts'
import { openSqliteStore } from '../store/sqlite/store.ts'
import type { SqliteStore } from '../store/sqlite/store.ts'
import { parseAccountArguments, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from './arguments.ts'
import type { AccountArguments } from './arguments.ts'

const DATABASE_PATH = '.local/desk.sqlite'

try {
  await run(parseAccountArguments(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function run(account: AccountArguments): Promise<void> {
  const password = await readPassword(account.passwordFile)
  const hash = await hashPassword(password, randomBytes(16))
  const store = await openSqliteStore(process.env['DATABASE_PATH'] || DATABASE_PATH)
  try {
    await savePerson(store, account)
    await store.identity.savePasswordHash(account.id, hash)
    // After it: whoever knew the old password is signed out, and could not sign in meanwhile.
    await store.identity.removeByAccount(account.id)
    process.stderr.write(`${account.id} can sign in with the new password; earlier sign-ins have ended.\n`)
  } finally {
    await store.close()
  }
}

/** One line; a line break at its end does not count. */
async function readPassword(file: string | undefined): Promise<string> {
  const given = file === undefined ? await text(process.stdin) : await readFile(file, 'utf8')
  const password = given.replace(/\r?\n$/, '')
  if (password.length < PASSWORD_CHARACTERS_MIN || password.length > PASSWORD_CHARACTERS_MAX) {
    throw new Error(
      `The password has ${password.length} characters; it must have ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX}.`,
    )
  }
  return password
}

async function savePerson(store: SqliteStore, { id, name, role }: AccountArguments): Promise<void> {
  const known = await store.findPerson(id)
  const person = { id, name: name ?? known?.name, role: role ?? known?.role }
  if (person.name === undefined || person.role === undefined) {
    throw new Error(`The desk does not know ${id}; give --name and --role to make this person.`)
  }
  await store.load([{ id, name: person.name, role: person.role }], [], 'desk-account')
}
