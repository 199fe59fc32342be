// People as the authorization server sees them: who they are, and what goes into their tokens.

import type { AccessToken, Account, ClientCredentials, UnknownObject } from 'oidc-provider'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'

export type FindPerson = (id: string) => Promise<PersonWithRole | undefined>

/** The account of a person, for oidc-provider; undefined when nobody has this id. */
export async function findAccount(findPerson: FindPerson, id: string): Promise<Account | undefined> {
  const person = await findPerson(id)
  return person && { accountId: person.id, claims: () => ({ sub: person.id }) }
}

/**
 * The claims of an access token beyond those of RFC 9068: what its holder is to the desk, their name, and the grant
 * behind it (`grant`), by which a token is found revoked. A client that works for itself is staff with one scope.
 */
export async function deskClaims(
  findPerson: FindPerson,
  token: AccessToken | ClientCredentials,
): Promise<UnknownObject> {
  if (!('accountId' in token)) return { role: 'staff', name: token.clientId }
  const person = await findPerson(token.accountId)
  return { ...(person && { role: person.role, name: person.name }), grant: token.grantId }
}
