import { defineTool } from './define-tool.ts'

export const ticketClose = defineTool({
  name: 'ticket_close',
  operation: 'closeTicket',
  scope: 'tickets:write',
  title: 'Close a ticket',
  description: {
    what: 'Close an open ticket with a one-sentence resolution. Staff only.',
    when: 'Use this when the problem is solved or answered; to undo it call ticket_reopen.',
    returns: 'Returns the closed ticket.',
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  call: (api, { id, ...body }, { idempotencyKey, signal }) =>
    api.POST('/tickets/{id}/close', {
      params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
      body,
      signal,
    }),
})
