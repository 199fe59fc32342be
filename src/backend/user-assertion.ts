// The second way to the service, for issuers without token exchange: a token of our own (client credentials), and next
// to it a short statement signed with the gateway's key that says for whom we act.
import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT, type CryptoKey, type JWK } from 'jose'
import type { Caller } from './caller.ts'
import { cacheByToken, type CredentialsWatch } from './credentials-cache.ts'
import type { Credentials, ServiceCredentials } from './service-credentials.ts'
import { requestToken, type Grant, type OAuthClient } from './token-endpoint.ts'

const ASSERTION_LIFETIME_S = 60
const EXPIRY_MARGIN_S = 10

export interface UserAssertionOptions {
  readonly client: OAuthClient
  /** Resource identifier of the ticket service (RFC 8707). */
  readonly resource: string
  /** Private key (ES256) whose public half the service knows. */
  readonly key: JWK
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly watch: CredentialsWatch
}

export function createUserAssertion({
  client,
  resource,
  key,
  now,
  watch,
}: UserAssertionOptions): ServiceCredentials {
  const own = createOwnToken(client, resource, now)
  const signingKey = importJWK(key, 'ES256') as Promise<CryptoKey>
  const assertFor = async (caller: Caller): Promise<{ credentials: Credentials; lifetimeMs: number }> => {
    const nowS = Math.floor(now() / 1000)
    const expiresAt = Math.min(nowS + ASSERTION_LIFETIME_S, caller.expiresAt)
    if (expiresAt <= nowS) return { credentials: { kind: 'subject_refused' }, lifetimeMs: 0 }
    const grant = await own.token()
    if (grant.kind !== 'granted') {
      const cause = grant.kind === 'refused' ? `token endpoint: ${grant.status} ${grant.error}` : grant.cause
      return { credentials: { kind: 'issuer_unavailable', cause }, lifetimeMs: 0 }
    }
    const assertion = await new SignJWT(claimsOf(caller))
      .setProtectedHeader({
        alg: 'ES256',
        typ: 'desk-user+jwt',
        ...(key.kid !== undefined && { kid: key.kid }),
      })
      .setIssuer(client.clientId)
      .setAudience(resource)
      .setSubject(caller.subject)
      .setIssuedAt(nowS)
      .setExpirationTime(expiresAt)
      .setJti(randomUUID())
      .sign(await signingKey)
    const headers = { authorization: bearer(grant.token), 'desk-user-assertion': assertion }
    return {
      credentials: { kind: 'headers', headers },
      lifetimeMs: (expiresAt - nowS - EXPIRY_MARGIN_S) * 1000,
    }
  }
  const assertions = cacheByToken(assertFor, watch)
  return {
    ...assertions,
    forget(caller, refused) {
      assertions.forget(caller, refused)
      if (refused.kind === 'headers') own.forget(refused.headers)
    },
  }
}

function claimsOf({ clientId, scopes, roles, name }: Caller) {
  return {
    client_id: clientId,
    scope: [...scopes].join(' '),
    role: roles,
    ...(name !== undefined && { name }),
  }
}

/** The gateway's own token, kept until shortly before it ends; those who ask at the same time share one request. */
function createOwnToken(client: OAuthClient, resource: string, now: () => number) {
  interface Entry {
    readonly grant: Promise<Grant>
    freshUntil: number
    authorization: string | undefined
  }
  let current: Entry | undefined
  const token = (): Promise<Grant> => {
    if (current && current.freshUntil > now()) return current.grant
    const grant = requestToken(client, { grant_type: 'client_credentials', resource })
    const entry: Entry = { grant, freshUntil: Infinity, authorization: undefined }
    current = entry
    void grant.then((answer) => {
      const lifetimeS = answer.kind === 'granted' ? answer.lifetimeS - EXPIRY_MARGIN_S : 0
      entry.freshUntil = now() + lifetimeS * 1000
      if (answer.kind === 'granted') entry.authorization = bearer(answer.token)
    })
    return grant
  }
  return {
    token,
    /** Of many that were refused with the same token only the first makes room for a new one. */
    forget({ authorization }: Readonly<Record<string, string>>) {
      if (current?.authorization === authorization) current = undefined
    },
  }
}

function bearer(token: string): string {
  return `Bearer ${token}`
}
