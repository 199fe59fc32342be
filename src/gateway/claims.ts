// Where an issuer puts what we need to know: the names of claims differ from product to product.
import type { JWTPayload } from 'jose'

export interface ClaimNames {
  readonly scope: string
  readonly clientId: string
  readonly role: string
}

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
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean)
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : []
}
