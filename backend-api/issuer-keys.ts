// The public keys of an issuer, found through its metadata (OpenID Connect Discovery, RFC 8414) when first needed.
import { createRemoteJWKSet } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import { z } from 'zod'

const TIMEOUT_MS = 2_000
const RETRY_COOLDOWN_MS = 1_000
const KEYS_COOLDOWN_MS = 30_000
const KEYS_LIFETIME_MS = 600_000

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** Nothing is fetched before the first token, so that an issuer served by this very process may start later. */
export function createIssuerKeys(issuer: string, clock: () => Date): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined
  let failedAt = -Infinity

  const discover = async (): Promise<JWTVerifyGetKey> => {
    const { jwks_uri } = await readMetadata(issuer)
    return createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_LIFETIME_MS,
    })
  }
  return async (header, token) => {
    if (keys === undefined) {
      // A silent issuer costs one wait per cool-down and not one per request.
      if (clock().getTime() - failedAt < RETRY_COOLDOWN_MS)
        throw new Error('The issuer did not answer a moment ago.')
      keys = discover()
      keys.catch(() => {
        failedAt = clock().getTime()
        keys = undefined
      })
    }
    return (await keys)(header, token)
  }
}

async function readMetadata(issuer: string): Promise<z.infer<typeof Metadata>> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  for (const place of places) {
    const response = await fetch(place, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    if (!response.ok) continue
    const metadata = Metadata.parse(await response.json())
    // RFC 8414 section 3.3: a document about another issuer must not be used.
    if (metadata.issuer !== issuer) throw new Error('The metadata of the issuer name another issuer.')
    return metadata
  }
  throw new Error('The issuer has no metadata.')
}
