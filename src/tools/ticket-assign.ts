import { defineTool } from './define-tool.ts'

export const ticketAssign = defineTool({
  name: 'ticket_assign',
  operation: 'assignTicket',
  scope: 'tickets:write',
  title: 'Assign a ticket',
  description: {
    what: 'Give an open ticket to a member of staff. Staff only; the refusal of anybody else names the staff.',
    when: 'Use this to say who works on a ticket; to see who does call ticket_get.',
    returns: 'Returns the ticket with its new assignee.',
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  call: (api, { id, ...body }, { idempotencyKey, signal }) =>
    api.POST('/tickets/{id}/assign', {
      params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
      body,
      signal,
    }),
})
