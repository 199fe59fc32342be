// What a rule decided, as data for the store to carry out. The types are those of the desk's events.
import type { Comment, Priority, Ticket, Visibility } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'

/** Who did it, through which client and when (RFC 3339, UTC). */
export interface Stamp {
  readonly actorId: string
  readonly clientId: string
  readonly at: string
}

export interface TicketCreated extends Stamp {
  readonly type: 'ticket_created'
  readonly subject: string
  readonly body: string
  readonly priority: Priority
  readonly tags: readonly string[]
}
export interface TicketCommented extends Stamp {
  readonly type: 'ticket_commented'
  readonly ticketId: string
  readonly body: string
  readonly visibility: Visibility
}
export interface TicketClosed extends Stamp {
  readonly type: 'ticket_closed'
  readonly ticketId: string
  readonly resolution: string
}
export interface TicketReopened extends Stamp {
  readonly type: 'ticket_reopened'
  readonly ticketId: string
}
export interface TicketAssigned extends Stamp {
  readonly type: 'ticket_assigned'
  readonly ticketId: string
  readonly assigneeId: string
}

export type Change = TicketCreated | TicketCommented | TicketClosed | TicketReopened | TicketAssigned

/** What the caller of a change gets to see: the new comment, or the ticket as it is afterwards. */
export type Answer<C extends Change> = C extends TicketCommented ? Comment : Ticket

export function stamp(caller: Caller, now: Date): Stamp {
  return { actorId: caller.id, clientId: caller.clientId, at: now.toISOString() }
}
