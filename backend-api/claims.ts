// Where an issuer puts what the desk needs to know: the names of claims differ from product to product.
import type { JWTPayload } from 'jose'
import type { Role } from '../openapi/desk.gen.ts'

export interface ClaimNames {
  readonly scope: string
  readonly clientId: string
  readonly role: string
}

/** The names of RFC 9068 and our own; what assertions of the gateway use. */
export const STANDARD_CLAIMS: ClaimNames = { scope: 'scope', clientId: 'client_id', role: 'role' }

/** The most powerful first: a person who has several roles has the first of these. */
const ROLES: readonly Role[] = ['admin', 'staff', 'customer']

/** The claim of that name, or, where there is none, what the dotted path leads to (`realm_access.roles`). */
export function claimAt(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name.split('.').reduce<unknown>((node, step) => {
    const isObject = node !== null && typeof node === 'object' && !Array.isArray(node)
    return isObject && Object.hasOwn(node, step) ? (node as Record<string, unknown>)[step] : undefined
  }, payload)
}

/** Words of a claim that is one string with spaces (RFC 8693 section 4.2) or a list of strings. */
export function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : []
}

/** The desk's role among those that a claim names; undefined when there is none. */
export function roleOf(claim: unknown): Role | undefined {
  const words = wordsOf(claim)
  return ROLES.find((role) => words.includes(role))
}
