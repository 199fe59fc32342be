import type { NewComment, Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'
import { stamp } from './change.ts'
import type { TicketCommented } from './change.ts'
import { ok, refuse } from './refusal.ts'
import type { Result } from './refusal.ts'
import { viewTicket } from './view-ticket.ts'

/** Customers comment publicly on their own open tickets; staff on any ticket, also internally. */
export function commentOnTicket(
  ticket: Ticket | undefined,
  command: NewComment,
  caller: Caller,
  now: Date,
): Result<TicketCommented> {
  const viewed = viewTicket(ticket, caller)
  if (!viewed.ok) return viewed
  const { body, visibility = 'public' } = command
  if (!runsDesk(caller)) {
    if (visibility === 'internal') return refuse({ kind: 'staff_only', action: 'write an internal comment' })
    if (viewed.value.status === 'closed') return refuse({ kind: 'closed_to_comments' })
  }
  return ok({ type: 'ticket_commented', ticketId: viewed.value.id, body, visibility, ...stamp(caller, now) })
}
