import { defineTool } from './define-tool.ts'

export const ticketCreate = defineTool({
  name: 'ticket_create',
  operation: 'createTicket',
  scope: 'tickets:write',
  title: 'File a ticket',
  description: {
    what: 'File a new ticket in your own name. With an idempotency_key a repeat returns the same ticket instead of filing a second one.',
    when: 'Use this for a new problem; to add to a ticket that exists call ticket_comment.',
    returns: 'Returns the ticket, and created: false when the key had already been used for it.',
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  call: (api, body, { idempotencyKey, signal }) =>
    api.POST('/tickets', { params: { header: { 'Idempotency-Key': idempotencyKey } }, body, signal }),
})
