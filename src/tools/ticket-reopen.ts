import { defineTool } from './define-tool.ts'

export const ticketReopen = defineTool({
  name: 'ticket_reopen',
  operation: 'reopenTicket',
  scope: 'tickets:write',
  title: 'Reopen a ticket',
  description: {
    what: 'Open a closed ticket again; its resolution is removed. Staff only.',
    when: 'Use this when the problem is back or was not solved; to end it again call ticket_close.',
    returns: 'Returns the open ticket.',
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  call: (api, { id }, { idempotencyKey, signal }) =>
    api.POST('/tickets/{id}/reopen', {
      params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
      signal,
    }),
})
