// The authorization server as the gateway knows it: a URL and the metadata found there. Any issuer will do.
import { z } from 'zod'
import type { FetchUrl } from './backchannel.ts'

const DISCOVERY_TIMEOUT_MS = 3_000
const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  token_endpoint: z.url(),
})

export type IssuerMetadata = z.infer<typeof Metadata>

export interface Issuer {
  readonly url: string
  /** How its endpoints are asked, all of them. */
  readonly fetch: FetchUrl
  /** Found once, then kept; a failure is not kept. Rejects when the issuer does not answer as it must. */
  metadata(): Promise<IssuerMetadata>
}

/** The issuer at `url`, discovered when first needed (OpenID Connect Discovery 1.0, RFC 8414 section 3). */
export function createIssuer(url: string, fetch: FetchUrl): Issuer {
  let found: Promise<IssuerMetadata> | undefined
  return {
    url,
    fetch,
    metadata() {
      found ??= discover(url, fetch).catch((error: unknown) => {
        found = undefined
        throw error
      })
      return found
    },
  }
}

async function discover(issuer: string, fetch: FetchUrl): Promise<IssuerMetadata> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const candidates = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  const reasons: string[] = []
  for (const candidate of candidates) {
    try {
      const response = await fetch(candidate, {
        redirect: 'error',
        signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
      })
      const metadata = Metadata.parse(await response.json())
      // RFC 8414 section 3.3: metadata that names another issuer must not be used.
      if (metadata.issuer === issuer) return metadata
      reasons.push(`${candidate} names another issuer`)
    } catch (error) {
      reasons.push(
        `${candidate}: ${error instanceof z.ZodError ? 'not the metadata of an issuer' : String(error)}`,
      )
    }
  }
  throw new Error(`No metadata of the issuer ${issuer}: ${reasons.join('; ')}`)
}
