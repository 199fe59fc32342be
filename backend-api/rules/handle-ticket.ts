import type { Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'
import { refuse } from './refusal.ts'
import type { Result, StaffAction } from './refusal.ts'
import { viewTicket } from './view-ticket.ts'

/** What every staff action asks first: is there such a ticket for the caller, and does the caller run the desk? */
export function handleTicket(
  ticket: Ticket | undefined,
  action: StaffAction,
  caller: Caller,
): Result<Ticket> {
  const viewed = viewTicket(ticket, caller)
  if (viewed.ok && !runsDesk(caller)) return refuse({ kind: 'staff_only', action })
  return viewed
}
