// The tools, in the order in which every client sees them.
import { deskExport } from './desk-export.ts'
import { ticketAssign } from './ticket-assign.ts'
import { ticketClose } from './ticket-close.ts'
import { ticketComment } from './ticket-comment.ts'
import { ticketCreate } from './ticket-create.ts'
import { ticketGet } from './ticket-get.ts'
import { ticketReopen } from './ticket-reopen.ts'
import { ticketsSearch } from './tickets-search.ts'
import type { Tool } from './define-tool.ts'

export const registry: readonly Tool[] = [
  ticketsSearch,
  ticketGet,
  ticketCreate,
  ticketComment,
  ticketClose,
  ticketReopen,
  ticketAssign,
  deskExport,
]
