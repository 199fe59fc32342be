import { describe, expect, test } from 'vitest'
import { assignTicket } from '../../backend-api/rules/assign-ticket.ts'
import type { Caller } from '../../backend-api/rules/caller.ts'
import { closeTicket } from '../../backend-api/rules/close-ticket.ts'
import { commentOnTicket } from '../../backend-api/rules/comment-on-ticket.ts'
import { createTicket } from '../../backend-api/rules/create-ticket.ts'
import { findTickets } from '../../backend-api/rules/find-tickets.ts'
import { permitExport, permitStaff } from '../../backend-api/rules/permit.ts'
import { reopenTicket } from '../../backend-api/rules/reopen-ticket.ts'
import { viewTicket } from '../../backend-api/rules/view-ticket.ts'
import { viewOf } from '../../backend-api/rules/view.ts'
import type { PersonWithRole, Role, Ticket } from '../../openapi/desk.gen.ts'

const now = new Date('2026-03-02T10:00:00.000Z')
const callerOf = (id: string, role: Role): Caller => ({
  id,
  name: id,
  role,
  scopes: new Set(),
  clientId: 'client',
})
const carol = callerOf('carol', 'customer')
const erin = callerOf('erin', 'customer')
const alice = callerOf('alice', 'staff')
const dave = callerOf('dave', 'admin')
const people: PersonWithRole[] = [
  { id: 'alice', name: 'Alice Novak', role: 'staff' },
  { id: 'bob', name: 'Bob Lindqvist', role: 'staff' },
  { id: 'carol', name: 'Carol Diaz', role: 'customer' },
  { id: 'dave', name: 'Dave Moreau', role: 'admin' },
]
const open: Ticket = {
  id: 'T-1',
  subject: 'Printer',
  body: 'Off.',
  status: 'open',
  priority: 'normal',
  requester: { id: 'carol', name: 'Carol Diaz' },
  assignee: null,
  tags: [],
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
  closed_at: null,
  resolution: null,
  comment_count: 0,
}
const closed: Ticket = { ...open, status: 'closed', closed_at: open.created_at, resolution: 'Fixed.' }
const refused = (refusal: object) => ({ ok: false, refusal })
const decided = (change: object): unknown =>
  expect.objectContaining({ ok: true, value: expect.objectContaining(change) as unknown })
const notFound = refused({ kind: 'ticket_not_found' })

describe('seeing', () => {
  test('a customer sees their own ticket', () => {
    expect(viewTicket(open, carol)).toEqual({ ok: true, value: open })
  })
  test('somebody else’s ticket is refused to a customer exactly as one that does not exist', () => {
    expect(viewTicket(open, erin)).toEqual(viewTicket(undefined, erin))
    expect(viewTicket(open, erin)).toEqual(notFound)
  })
  test.each([alice, dave])('those who run the desk see every ticket: $role', (caller) => {
    expect(viewTicket(open, caller)).toEqual({ ok: true, value: open })
  })
  test('internal comments are for those who run the desk', () => {
    expect([carol, alice, dave].map((caller) => viewOf(caller).internal)).toEqual([false, true, true])
  })
  test('a customer finds among their own tickets only, also when they ask for somebody else’s', () => {
    expect(findTickets({ requester: 'erin' }, carol)).toEqual({ requester: 'erin', owner: 'carol' })
    expect(findTickets({ requester: 'erin' }, alice)).toEqual({ requester: 'erin' })
  })
})

describe('creating', () => {
  test('the change carries who, through which client and when', () => {
    expect(createTicket({ subject: 's', body: 'b' }, carol, now)).toEqual(
      decided({
        type: 'ticket_created',
        priority: 'normal',
        tags: [],
        actorId: 'carol',
        clientId: 'client',
        at: '2026-03-02T10:00:00.000Z',
      }),
    )
  })
})

describe('commenting', () => {
  const comment = { body: 'Hello' }
  test('a customer comments publicly on their own open ticket', () => {
    expect(commentOnTicket(open, comment, carol, now)).toEqual(
      decided({ type: 'ticket_commented', visibility: 'public', ticketId: 'T-1' }),
    )
  })
  test('a customer cannot comment on somebody else’s ticket', () => {
    expect(commentOnTicket(open, comment, erin, now)).toEqual(notFound)
  })
  test('a customer cannot comment on a closed ticket', () => {
    expect(commentOnTicket(closed, comment, carol, now)).toEqual(refused({ kind: 'closed_to_comments' }))
  })
  test('a customer cannot write an internal comment', () => {
    expect(commentOnTicket(open, { ...comment, visibility: 'internal' }, carol, now)).toEqual(
      refused({ kind: 'staff_only', action: 'write an internal comment' }),
    )
  })
  test('staff comment internally on a closed ticket', () => {
    expect(commentOnTicket(closed, { ...comment, visibility: 'internal' }, alice, now)).toEqual(
      decided({ visibility: 'internal' }),
    )
  })
})

describe('closing and reopening', () => {
  const closing = { resolution: 'Fixed.' }
  test('staff close an open ticket', () => {
    expect(closeTicket(open, closing, alice, now)).toEqual(
      decided({ type: 'ticket_closed', resolution: 'Fixed.' }),
    )
  })
  test('administrators may do what staff may', () => {
    expect(closeTicket(open, closing, dave, now)).toEqual(decided({ actorId: 'dave' }))
  })
  test('a closed ticket cannot be closed', () => {
    expect(closeTicket(closed, closing, alice, now)).toEqual(refused({ kind: 'not_open', action: 'close' }))
  })
  test('the requester cannot close, and learns that staff can', () => {
    expect(closeTicket(open, closing, carol, now)).toEqual(
      refused({ kind: 'staff_only', action: 'close a ticket' }),
    )
  })
  test('another customer does not learn that the ticket exists', () => {
    expect(closeTicket(open, closing, erin, now)).toEqual(notFound)
    expect(reopenTicket(closed, erin, now)).toEqual(notFound)
    expect(assignTicket(open, { assignee: 'bob' }, people, erin, now)).toEqual(notFound)
  })
  test('staff reopen a closed ticket', () => {
    expect(reopenTicket(closed, alice, now)).toEqual(decided({ type: 'ticket_reopened' }))
  })
  test('an open ticket cannot be reopened', () => {
    expect(reopenTicket(open, alice, now)).toEqual(refused({ kind: 'not_closed' }))
  })
  test('a customer cannot reopen', () => {
    expect(reopenTicket(closed, carol, now)).toEqual(
      refused({ kind: 'staff_only', action: 'reopen a ticket' }),
    )
  })
})

describe('assigning', () => {
  test('staff assign an open ticket to staff', () => {
    expect(assignTicket(open, { assignee: 'bob' }, people, alice, now)).toEqual(
      decided({ assigneeId: 'bob' }),
    )
  })
  test('a closed ticket cannot be assigned', () => {
    expect(assignTicket(closed, { assignee: 'bob' }, people, alice, now)).toEqual(
      refused({ kind: 'not_open', action: 'assign' }),
    )
  })
  test.each(['carol', 'dave', 'nobody'])('the refusal of %s names the staff', (assignee) => {
    expect(assignTicket(open, { assignee }, people, alice, now)).toEqual(
      refused({ kind: 'assignee_not_staff', assignee, staff: people.slice(0, 2) }),
    )
  })
  test('a customer cannot assign', () => {
    expect(assignTicket(open, { assignee: 'bob' }, people, carol, now)).toEqual(
      refused({ kind: 'staff_only', action: 'assign a ticket' }),
    )
  })
})

describe('the desk as a whole', () => {
  test('only administrators export', () => {
    expect([carol, alice, dave].map((caller) => permitExport(caller).ok)).toEqual([false, false, true])
  })
  test('only those who run the desk list people and follow events', () => {
    expect([carol, alice, dave].map((caller) => permitStaff('list the people', caller).ok)).toEqual([
      false,
      true,
      true,
    ])
  })
})
