import type { Request, RequestHandler } from 'express'
import type { Ticket } from '../../openapi/desk.gen.ts'
import { sendRefusal } from '../http/send-problem.ts'
import { assignTicket } from '../rules/assign-ticket.ts'
import type { Caller } from '../rules/caller.ts'
import type { TicketAssigned, TicketClosed, TicketReopened } from '../rules/change.ts'
import { closeTicket } from '../rules/close-ticket.ts'
import type { Result } from '../rules/refusal.ts'
import { reopenTicket } from '../rules/reopen-ticket.ts'
import { viewOf } from '../rules/view.ts'
import type { DeskReads } from '../store/store.ts'
import type { RouteDependencies } from './dependencies.ts'
import { bodyOf, ticketIdOf } from './parsed.ts'
import { writeDesk } from './write.ts'

type Transition = TicketClosed | TicketReopened | TicketAssigned

export function closeTicketRoute(dependencies: RouteDependencies): RequestHandler {
  return transitionRoute(dependencies, (ticket, caller, now, request) =>
    closeTicket(ticket, bodyOf<'closeTicket'>(request), caller, now),
  )
}

export function reopenTicketRoute(dependencies: RouteDependencies): RequestHandler {
  return transitionRoute(dependencies, reopenTicket)
}

export function assignTicketRoute(dependencies: RouteDependencies): RequestHandler {
  return transitionRoute(dependencies, async (ticket, caller, now, request, desk) =>
    assignTicket(ticket, bodyOf<'assignTicket'>(request), await desk.listStaff(), caller, now),
  )
}

function transitionRoute(
  dependencies: RouteDependencies,
  judge: (
    ticket: Ticket | undefined,
    caller: Caller,
    now: Date,
    request: Request,
    desk: DeskReads,
  ) => Result<Transition> | Promise<Result<Transition>>,
): RequestHandler {
  return async (request, response) => {
    const id = ticketIdOf(request)
    const written = await writeDesk<Transition>(dependencies, request, response, async (desk, caller, now) =>
      judge(await desk.findTicket(id, viewOf(caller)), caller, now, request, desk),
    )
    if (written.ok) response.json(written.value.answer)
    else sendRefusal(response, written.refusal)
  }
}
