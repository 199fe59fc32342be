// Looks events up in a desk's file, also while the desk is served; what cannot be shown is said in words.
import { findEvents } from '../store/events.ts'
import type { EventSearch, TracedEvent } from '../store/events.ts'
import { openDatabaseForReading } from '../store/sqlite/database.ts'

/** More than a person reads; the newest are what is asked for. */
export const MAX_EVENTS = 1_000

/** Oldest first, at least one. Fails with what to do when there is none, or no such desk. */
export async function readHistory(path: string, search: EventSearch): Promise<TracedEvent[]> {
  const events = await find(path, search)
  if (events.length > 0) return events
  if ('ticketId' in search) throw new Error(`The desk at ${path} has no ticket ${search.ticketId}.`)
  throw new Error(
    `No change at ${path} was made by the request ${search.requestId}. Reads and refusals change nothing; ` +
      'the log of the service has every request.',
  )
}

async function find(path: string, search: EventSearch): Promise<TracedEvent[]> {
  try {
    const db = openDatabaseForReading(path)
    try {
      return await findEvents(db, search, MAX_EVENTS)
    } finally {
      await db.destroy()
    }
  } catch (error) {
    throw new Error(`${path} ${faultOf((error as Error).message)}`, { cause: error })
  }
}

function faultOf(reason: string): string {
  if (/no such (column|table)/.test(reason))
    return 'is no desk of this version; start the ticket service once, which brings it up to date.'
  return `cannot be read as a desk (${reason}). Name another one with --database or DATABASE_PATH.`
}
