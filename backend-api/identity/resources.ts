// Which resources (RFC 8707) a token can be for, and which scopes it can then have.

import { errors, type Client, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import type { FindPerson } from './accounts.ts'
import { findAudience, type Audiences } from './audiences.ts'
import { LOCAL_CLIENT } from './clients.ts'
import { ALL_SCOPES, scopesOfRole } from './role-scopes.ts'

const CLIENT_SCOPES = ['tickets:read']

export interface Resources {
  /** The one that is meant where a request names none; `oneOf` are those of its grant. */
  byDefault(client: Client, oneOf?: readonly string[]): string
  /** Throws `invalid_target` for a resource that is not ours, and for one that this client may not ask for. */
  describe(ctx: KoaContextWithOIDC, resource: string, client: Client): Promise<ResourceServer>
}

/** `signingKey`: the id of the key that signs. */
export function createResources(audiences: Audiences, findPerson: FindPerson, signingKey: string): Resources {
  // The one who has signed in may get what their role allows now, whatever was granted earlier.
  async function scopesFor({ oidc }: KoaContextWithOIDC): Promise<readonly string[]> {
    const id = oidc.account?.accountId ?? oidc.session?.accountId
    const person = id === undefined ? undefined : await findPerson(id)
    return person ? scopesOfRole(person.role) : ALL_SCOPES
  }

  return {
    // Clients that predate RFC 8707 name no resource; people's clients can only mean the gateway.
    byDefault(client, oneOf) {
      return (
        oneOf?.[0] ??
        (worksForItself(client) ? audiences.service : (audiences.gateway[0] ?? audiences.service))
      )
    },
    async describe(ctx, resource, client) {
      const known = [
        ...(worksForItself(client) ? [] : audiences.gateway),
        ...(worksForItself(client) || client.clientId === LOCAL_CLIENT ? [audiences.service] : []),
      ]
      const audience = findAudience(resource, known)
      if (audience === undefined) {
        throw new errors.InvalidTarget(`resource must be one of: ${known.join(' ')}`)
      }
      const scopes = worksForItself(client) ? CLIENT_SCOPES : await scopesFor(ctx)
      return {
        audience,
        scope: scopes.join(' '),
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256', kid: signingKey } },
      }
    },
  }
}

function worksForItself(client: Client): boolean {
  return client.grantTypeAllowed('client_credentials')
}
