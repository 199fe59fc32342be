import type { Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'
import { ok, refuse } from './refusal.ts'
import type { Result } from './refusal.ts'

/** Somebody else's ticket is refused to a customer exactly as one that does not exist. */
export function viewTicket(ticket: Ticket | undefined, caller: Caller): Result<Ticket> {
  if (ticket === undefined) return refuse({ kind: 'ticket_not_found' })
  if (!runsDesk(caller) && ticket.requester.id !== caller.id) return refuse({ kind: 'ticket_not_found' })
  return ok(ticket)
}
