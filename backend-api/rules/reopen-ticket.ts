import type { Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { stamp } from './change.ts'
import type { TicketReopened } from './change.ts'
import { handleTicket } from './handle-ticket.ts'
import { ok, refuse } from './refusal.ts'
import type { Result } from './refusal.ts'

/** Staff reopen a closed ticket. */
export function reopenTicket(ticket: Ticket | undefined, caller: Caller, now: Date): Result<TicketReopened> {
  const handled = handleTicket(ticket, 'reopen a ticket', caller)
  if (!handled.ok) return handled
  if (handled.value.status !== 'closed') return refuse({ kind: 'not_closed' })
  return ok({ type: 'ticket_reopened', ticketId: handled.value.id, ...stamp(caller, now) })
}
