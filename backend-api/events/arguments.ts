// The command line of `npm run events`.

import { parseArgs } from 'node:util'
import type { EventSearch } from '../store/events.ts'

const USAGE = `Usage: npm run events -- T-7 [--json] [--database PATH]
       npm run events -- --request ID [--json] [--database PATH]
  T-7         the ticket whose history is wanted
  --request   finds what one request changed, by the request id of a log line or of a refusal
  --json      one JSON object a line, for programs
  --database  the desk; left out, it is the one at DATABASE_PATH`

export interface EventsArguments {
  readonly search: EventSearch
  readonly json: boolean
  readonly database: string | undefined
}

/** Throws with the usage. */
export function parseEventsArguments(args: string[]): EventsArguments {
  const options = {
    request: { type: 'string' },
    json: { type: 'boolean', default: false },
    database: { type: 'string' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return {
      search: searchOf(positionals, values.request),
      json: values.json,
      database: values.database,
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error })
  }
}

function searchOf([ticketId, ...rest]: string[], requestId: string | undefined): EventSearch {
  if ((ticketId === undefined) === (requestId === undefined) || rest.length > 0)
    throw new Error('Name one ticket, or one request.')
  if (requestId !== undefined) return { requestId }
  if (ticketId === undefined || !/^T-[1-9][0-9]{0,18}$/.test(ticketId))
    throw new Error(`"${String(ticketId)}" is no ticket's id; one looks like T-7.`)
  return { ticketId }
}
