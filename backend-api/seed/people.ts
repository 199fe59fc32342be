// The people of the seeded desk.

import type { PersonWithRole } from '../../openapi/desk.gen.ts'

export const PEOPLE: readonly PersonWithRole[] = [
  { id: 'alice', name: 'Alice Novak', role: 'staff' },
  { id: 'bob', name: 'Bob Lindqvist', role: 'staff' },
  { id: 'carol', name: 'Carol Diaz', role: 'customer' },
  { id: 'dave', name: 'Dave Moreau', role: 'admin' },
  { id: 'erin', name: 'Erin Okafor', role: 'customer' },
]
