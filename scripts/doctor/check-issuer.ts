// Is the issuer found, is it the one that was meant, and does it offer what the gateway and its clients need?

import { importJWK, type JWK } from 'jose'
import { z } from 'zod'
import type { FetchUrl } from '../../src/backend/backchannel.ts'
import { createIssuer } from '../../src/backend/issuer.ts'
import { ask, jsonOf } from './ask.ts'
import type { DoctorContext } from './context.ts'
import { ok, quoted, skipped, wrong, type Finding } from './finding.ts'

const Published = z.object({
  grant_types_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
})
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })
/** By the kind of key, the first algorithm that the gateway accepts for it. */
const ALGORITHMS: Readonly<Record<string, string>> = { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' }

export async function checkIssuer({ config, issuer }: DoctorContext): Promise<Finding> {
  const documents: unknown[] = []
  const remembering: FetchUrl = async (url, init) => {
    const response = await issuer.fetch(url, init)
    documents.push(
      await response
        .clone()
        .json()
        .catch(() => undefined),
    )
    return response
  }
  try {
    await createIssuer(config.issuer, remembering).metadata()
  } catch {
    return notFound(config.issuer, documents)
  }
  const grant = config.assertionKey ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:token-exchange'
  const published = Published.safeParse(documents.at(-1)).data ?? {}
  const { grant_types_supported: grants, code_challenge_methods_supported: challenges } = published
  // RFC 8414 section 2: left out, the list is not one of extension grants; many issuers leave them out and have them.
  if (grants && !grants.includes(grant))
    return wrong(
      `${config.issuer} does not list the grant ${grant}`,
      config.assertionKey
        ? 'Let the issuer offer client credentials to the gateway.'
        : 'Enable token exchange at the issuer, or set ASSERTION_KEY.',
    )
  if (!challenges?.includes('S256'))
    return wrong(
      `${config.issuer} does not list the code challenge method S256, without which MCP clients refuse to sign in`,
      'Enable PKCE with S256 at the issuer.',
    )
  return ok(`${config.issuer} is found and offers what is needed`)
}

function notFound(issuer: string, documents: readonly unknown[]): Finding {
  if (documents.length === 0)
    return wrong(
      `${issuer} cannot be reached`,
      'Start it, or correct ISSUER; where it has another address from here, set ISSUER_BACKCHANNEL.',
    )
  const named = documents
    .map((document) => z.object({ issuer: z.string() }).safeParse(document).data?.issuer)
    .find((name) => name !== undefined && name !== issuer)
  if (named !== undefined)
    return wrong(
      `the metadata at ${issuer} names another issuer, ${quoted(named)}`,
      'Set ISSUER to exactly that, with or without the slash at its end, if it is the one you mean.',
    )
  return wrong(
    `${issuer} answers, but not with the metadata of an issuer`,
    'Correct ISSUER: it is the URL to which /.well-known/openid-configuration is appended.',
  )
}

export async function checkKeys({ issuer }: DoctorContext): Promise<Finding> {
  const metadata = await issuer.metadata().catch(() => undefined)
  if (!metadata) return skipped('the issuer was not found')
  const answer = await ask(metadata.jwks_uri, issuer.fetch)
  if (answer.kind === 'silent')
    return wrong(
      `${metadata.jwks_uri} cannot be read: ${answer.cause}`,
      "Let this machine reach the issuer's keys.",
    )
  const set = KeySet.safeParse(jsonOf(answer)).data
  if (!set)
    return wrong(`${metadata.jwks_uri} is no key set (HTTP ${answer.status})`, 'Mend jwks_uri at the issuer.')
  const usable = await Promise.all(set.keys.map(isUsable))
  const count = usable.filter(Boolean).length
  if (count === 0)
    return wrong(
      `${metadata.jwks_uri} has no key that tokens can be verified with`,
      'Let the issuer sign with ES256, RS256, PS256 or EdDSA and publish the key.',
    )
  return ok(`${count} of ${set.keys.length} published keys can verify tokens`)
}

async function isUsable(key: JWK): Promise<boolean> {
  const algorithm = key.alg ?? ALGORITHMS[key.kty ?? '']
  if (algorithm === undefined || (key.use ?? 'sig') !== 'sig') return false
  if (!['ES256', 'RS256', 'PS256', 'EdDSA'].includes(algorithm)) return false
  return importJWK(key, algorithm).then(
    () => true,
    () => false,
  )
}
