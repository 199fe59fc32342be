import type { NewTicket } from '../../openapi/desk.gen.ts'
import type { Caller } from './caller.ts'
import { stamp } from './change.ts'
import type { TicketCreated } from './change.ts'
import { ok } from './refusal.ts'
import type { Result } from './refusal.ts'

/** Everybody may file a ticket; the caller becomes its requester. */
export function createTicket(command: NewTicket, caller: Caller, now: Date): Result<TicketCreated> {
  const { subject, body, priority = 'normal', tags = [] } = command
  return ok({ type: 'ticket_created', subject, body, priority, tags, ...stamp(caller, now) })
}
