// The store on one SQLite file. Reads and writes are those of ../; only what SQLite does differently is here.
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { listComments } from '../comments.ts'
import { lastEventId, listEvents } from '../events.ts'
import { load } from '../load.ts'
import { identityStateOf } from '../identity-state.ts'
import type { IdentityState } from '../identity-state.ts'
import { addUnknownPeople, findPerson, listStaff, savePeople } from '../people.ts'
import type { Tables } from '../schema.ts'
import type { DeskLoader, DeskReads, Store } from '../store.ts'
import { countTickets, findTicket, listAllTickets, listTickets } from '../tickets.ts'
import { write } from '../write.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { indexDocuments, matchesOfWords } from './search-index.ts'

export interface SqliteStore extends Store, DeskLoader {
  /** For the embedded authorization server. */
  readonly identity: IdentityState
}

export interface SqliteStoreOptions {
  /**
   * Who says what role and name a person has: the desk's own table, where the embedded authorization server issues
   * from it (an old token must not undo a demotion), or the tokens of somebody else's issuer.
   */
  readonly peopleAuthority: 'desk' | 'issuer'
}

/** Opens (or creates) the file and brings it to the newest schema. `:memory:` is a desk that vanishes when closed. */
export async function openSqliteStore(
  path: string,
  { peopleAuthority }: SqliteStoreOptions = { peopleAuthority: 'issuer' },
): Promise<SqliteStore> {
  const db = openDatabase(path)
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const knowPeople = peopleAuthority === 'desk' ? addUnknownPeople : savePeople
  const listeners = new Set<() => void>()

  return {
    ...readsOf(db),
    snapshot: (read) =>
      db
        .transaction()
        .setAccessMode('read only')
        .execute((tx) => read(readsOf(tx))),
    write: async (request, decide) => {
      const result = await committed(db, (tx) =>
        write(tx, request, () => decide(readsOf(tx)), indexDocuments, knowPeople),
      )
      if (result.ok && !result.value.replayed) for (const listener of listeners) listener()
      return result
    },
    listEvents: (after, limit) => listEvents(db, after, limit),
    lastEventId: () => lastEventId(db),
    countTickets: () => countTickets(db),
    onCommit: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: (people, tickets, clientId) =>
      db.transaction().execute((tx) => load(tx, people, tickets, clientId, indexDocuments)),
    identity: identityStateOf(db),
    ping: async () => {
      await sql`select 1 from tickets limit 1`.execute(db)
    },
    close: () => db.destroy(),
  }
}

function readsOf(db: Kysely<Tables>): DeskReads {
  return {
    findTicket: (id, view) => findTicket(db, id, view),
    findPerson: (id) => findPerson(db, id),
    listStaff: () => listStaff(db),
    listTickets: (filter, page, view) => listTickets(db, filter, page, view, matchesOfWords),
    listAllTickets: (page, view) => listAllTickets(db, page, view),
    listComments: (ticketId, page, view) => listComments(db, ticketId, page, view),
  }
}

/** Commits what `work` did when its result is ok; a refusal and an error leave nothing. */
async function committed<Outcome extends { readonly ok: boolean }>(
  db: Kysely<Tables>,
  work: (tx: Kysely<Tables>) => Promise<Outcome>,
): Promise<Outcome> {
  const tx = await db.startTransaction().execute()
  try {
    const outcome = await work(tx)
    await (outcome.ok ? tx.commit() : tx.rollback()).execute()
    return outcome
  } catch (error) {
    // SQLite may have rolled back by itself (a full disk); the first error is the one to report.
    await tx
      .rollback()
      .execute()
      .catch(() => undefined)
    throw error
  }
}
