// Token exchange (RFC 8693): the caller's token in, a short-lived token of our own for the ticket service out.
import type { Caller } from './caller.ts'
import { cacheByToken, type CredentialsWatch } from './credentials-cache.ts'
import type { Part } from './open-call.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'
import { requestToken, type OAuthClient } from './token-endpoint.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
/** A token is replaced this long before it ends, so that it never ends on its way. */
const EXPIRY_MARGIN_S = 10

/** `resource` is the ticket service's identifier (RFC 8707). */
export function createTokenExchange(
  client: OAuthClient,
  resource: string,
  watch: CredentialsWatch,
): ServiceCredentials {
  const exchange = async (
    caller: Caller,
    headers: Part['headers'],
  ): Promise<{ credentials: Credentials; lifetimeMs: number }> => {
    const parameters = {
      grant_type: GRANT_TYPE,
      subject_token: caller.token,
      subject_token_type: ACCESS_TOKEN,
      resource,
    }
    const grant = await requestToken(client, parameters, headers)
    switch (grant.kind) {
      case 'granted':
        return {
          credentials: { kind: 'headers', headers: { authorization: `Bearer ${grant.token}` } },
          lifetimeMs: (grant.lifetimeS - EXPIRY_MARGIN_S) * 1000,
        }
      case 'refused': {
        // RFC 8693 section 2.2.2 has invalid_request for an unacceptable subject token; many issuers say invalid_grant.
        const ofSubject = grant.error === 'invalid_request' || grant.error === 'invalid_grant'
        const cause = `token endpoint: ${grant.status} ${grant.error}`
        const credentials = ofSubject
          ? { kind: 'subject_refused' as const }
          : { kind: 'issuer_unavailable' as const, cause }
        return { credentials, lifetimeMs: 0 }
      }
      case 'unreachable':
        return { credentials: { kind: 'issuer_unavailable', cause: grant.cause }, lifetimeMs: 0 }
    }
  }
  return cacheByToken(exchange, watch)
}
