// Which OAuth scopes a person of each role may hold. Must not know tokens, clients or requests.

import type { Role } from '../../openapi/desk.gen.ts'

const READ_AND_WRITE = ['tickets:read', 'tickets:write']

/** Every scope that this authorization server can grant. */
export const ALL_SCOPES: readonly string[] = [...READ_AND_WRITE, 'desk:admin']

/** The scopes that a person of this role may hold; a request for more gets these and no more (RFC 6749 section 3.3). */
export function scopesOfRole(role: Role): readonly string[] {
  return role === 'admin' ? ALL_SCOPES : READ_AND_WRITE
}
