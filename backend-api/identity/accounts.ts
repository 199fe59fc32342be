// People as the authorization server sees them: who they are, what goes into their tokens, what they may be granted.

import type { Account, Grant, KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import { scopesOfRole } from './role-scopes.ts'

export type FindPerson = (id: string) => Promise<PersonWithRole | undefined>

/** The account of a person, for oidc-provider; undefined when nobody has this id. */
export async function findAccount(findPerson: FindPerson, id: string): Promise<Account | undefined> {
  const person = await findPerson(id)
  return person && { accountId: person.id, claims: () => ({ sub: person.id }) }
}

/** The claims of an access token beyond those of RFC 9068: what the person is to the desk, and their name. */
export async function personClaims(findPerson: FindPerson, id: string): Promise<UnknownObject> {
  const person = await findPerson(id)
  return person ? { role: person.role, name: person.name } : {}
}

/**
 * The grant for an authorization request of a person who has signed in: what they asked for as far as their role
 * allows. The rest is marked as refused, because the server would ask for consent to it again and again otherwise.
 */
export async function implyConsent(
  findPerson: FindPerson,
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { account, client, provider, requestParamScopes, requestParamOIDCScopes, resourceServers } = ctx.oidc
  const person = account && (await findPerson(account.accountId))
  if (!person || !client) return undefined

  const grant = new provider.Grant({ accountId: person.id, clientId: client.clientId })
  const allowed = scopesOfRole(person.role)
  for (const resource of Object.keys(resourceServers ?? {})) {
    const requested = [...requestParamScopes]
    grant.addResourceScope(
      resource,
      requested.filter((scope) => allowed.includes(scope)),
    )
    grant.rejectResourceScope(
      resource,
      requested.filter((scope) => !allowed.includes(scope)),
    )
  }
  grant.rejectOIDCScope([...requestParamOIDCScopes])
  await grant.save()
  return grant
}
