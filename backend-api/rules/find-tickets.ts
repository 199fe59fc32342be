import type { Priority, Status } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'

/** What to find; all conditions hold at once. `owner` is the one that the rules add. */
export interface TicketFilter {
  readonly query?: string
  readonly status?: Status
  readonly priority?: Priority
  readonly assignee?: string
  readonly requester?: string
  readonly tag?: string
  readonly owner?: string
}

/** A customer finds among their own tickets only. */
export function findTickets(filter: TicketFilter, caller: Caller): TicketFilter {
  return runsDesk(caller) ? filter : { ...filter, owner: caller.id }
}
