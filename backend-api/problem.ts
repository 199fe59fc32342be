// What a rule refuses, as a problem document (RFC 9457). What is wrong with a request before any rule: fault.ts.
import type { Problem, Status } from '../openapi/desk.gen.ts'
import type { Refusal } from './rules/refusal.ts'

/** A problem without its request id, and the headers that go with it. */
export interface ProblemReply {
  readonly problem: Omit<Problem, 'request_id'>
  readonly headers: Readonly<Record<string, string>>
}

interface Extras {
  field?: string
  current_status?: Status
  headers?: Record<string, string>
}

/** One exhaustive switch: a new refusal does not compile until it is here. */
export function problemOf(refusal: Refusal): ProblemReply {
  switch (refusal.kind) {
    case 'ticket_not_found':
      return reply(404, 'not_found', 'There is no such ticket. Check the id, or search for the ticket.')
    case 'staff_only':
      return reply(403, 'forbidden', `Only support staff can ${refusal.action}. Ask a member of staff.`)
    case 'administrators_only':
      return reply(403, 'forbidden', 'Only administrators can export the desk. Ask an administrator.')
    case 'not_open':
      return reply(
        409,
        'wrong_state',
        `The ticket is closed; only an open ticket can be ${PARTICIPLES[refusal.action]}. Reopen it first.`,
        { current_status: 'closed' },
      )
    case 'not_closed':
      return reply(409, 'wrong_state', 'The ticket is open; only a closed ticket can be reopened.', {
        current_status: 'open',
      })
    case 'closed_to_comments':
      return reply(
        409,
        'wrong_state',
        'The ticket is closed, and customers can comment on open tickets only. Support staff can reopen it.',
        { current_status: 'closed' },
      )
    case 'assignee_not_staff': {
      const staff = refusal.staff.map(({ id, name }) => `${id} (${name})`).join(', ')
      const choice = staff === '' ? 'The desk has no staff yet.' : `Choose one of the staff: ${staff}.`
      return reply(
        422,
        'invalid_assignee',
        `assignee: "${refusal.assignee}" is not a member of staff. ${choice}`,
        {
          field: 'assignee',
        },
      )
    }
    case 'idempotency_key_reused':
      return reply(
        422,
        'idempotency_key_reused',
        'This key was used for another request. Send a new key, or repeat the first request exactly.',
        { field: 'idempotency_key' },
      )
  }
}

const PARTICIPLES = { close: 'closed', assign: 'assigned' } as const

/** A problem from its code; the title is the code in words. */
export function reply(
  status: number,
  code: Problem['code'],
  detail: string,
  extras: Extras = {},
): ProblemReply {
  const { headers = {}, ...members } = extras
  const words = code.replaceAll('_', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { problem: { type: `urn:desk:problem:${code}`, title, status, code, detail, ...members }, headers }
}
