import type { Closing, Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { stamp } from './change.ts'
import type { TicketClosed } from './change.ts'
import { handleTicket } from './handle-ticket.ts'
import { ok, refuse } from './refusal.ts'
import type { Result } from './refusal.ts'

/** Staff close an open ticket with a resolution. */
export function closeTicket(
  ticket: Ticket | undefined,
  command: Closing,
  caller: Caller,
  now: Date,
): Result<TicketClosed> {
  const handled = handleTicket(ticket, 'close a ticket', caller)
  if (!handled.ok) return handled
  if (handled.value.status !== 'open') return refuse({ kind: 'not_open', action: 'close' })
  const { resolution } = command
  return ok({ type: 'ticket_closed', ticketId: handled.value.id, resolution, ...stamp(caller, now) })
}
