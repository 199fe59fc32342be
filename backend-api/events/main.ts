// `npm run events -- T-7`: what happened to a ticket, or what a request changed. Reads the desk, also while it is served.

import { parseEventsArguments } from './arguments.ts'
import { MAX_EVENTS, readHistory } from './history.ts'
import { linesOf } from './lines.ts'

const DATABASE_PATH = '.local/desk.sqlite'

try {
  const { search, json, database } = parseEventsArguments(process.argv.slice(2))
  const events = await readHistory(database ?? (process.env['DATABASE_PATH'] || DATABASE_PATH), search)
  const lines = json ? events.map((event) => JSON.stringify(event)) : linesOf(events)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (events.length === MAX_EVENTS) process.stderr.write(`These are the newest ${MAX_EVENTS}.\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
