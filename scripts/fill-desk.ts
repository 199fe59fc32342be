// A desk to try: tickets, if it has none yet, and one password for all of its people.

import { seedDesk, STORIES } from '../backend-api/seed/seed.ts'
import { openSqliteStore } from '../backend-api/store/sqlite/store.ts'
import { givePassword } from './give-password.ts'

/** A desk that has tickets already keeps them as they are. */
export async function fillDesk(databasePath: string, password: string): Promise<void> {
  const store = await openSqliteStore(databasePath)
  try {
    await seedDesk(store, { tickets: STORIES.length, seed: 1 })
    await givePassword(store.identity, password)
  } finally {
    await store.close()
  }
}
