import { defineTool } from './define-tool.ts'

export const ticketComment = defineTool({
  name: 'ticket_comment',
  operation: 'commentOnTicket',
  scope: 'tickets:write',
  title: 'Comment on a ticket',
  description: {
    what: 'Add a comment to a ticket. Internal comments are for staff; customers cannot comment on a closed ticket.',
    when: 'Use this to answer or to add facts; to end the ticket call ticket_close.',
    returns: 'Returns the comment.',
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  call: (api, { id, ...body }, { idempotencyKey, signal }) =>
    api.POST('/tickets/{id}/comments', {
      params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
      body,
      signal,
    }),
})
