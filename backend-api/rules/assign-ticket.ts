import type { Assignment, PersonWithRole, Ticket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { stamp } from './change.ts'
import type { TicketAssigned } from './change.ts'
import { handleTicket } from './handle-ticket.ts'
import { ok, refuse } from './refusal.ts'
import type { Result } from './refusal.ts'

/** Staff assign an open ticket to a member of staff; a refusal of anybody else names the staff to choose from. */
export function assignTicket(
  ticket: Ticket | undefined,
  command: Assignment,
  people: readonly PersonWithRole[],
  caller: Caller,
  now: Date,
): Result<TicketAssigned> {
  const handled = handleTicket(ticket, 'assign a ticket', caller)
  if (!handled.ok) return handled
  if (handled.value.status !== 'open') return refuse({ kind: 'not_open', action: 'assign' })
  const { assignee } = command
  const staff = people.filter(({ role }) => role === 'staff')
  if (!staff.some(({ id }) => id === assignee)) return refuse({ kind: 'assignee_not_staff', assignee, staff })
  return ok({
    type: 'ticket_assigned',
    ticketId: handled.value.id,
    assigneeId: assignee,
    ...stamp(caller, now),
  })
}
