// What clients say about themselves, in a registration (RFC 7591) or a metadata document: what is taken from it.

import { errors, type ClientMetadata } from 'oidc-provider'
import { z } from 'zod'
import { isLoopback } from './loopback.ts'

const NAME_CHARACTERS_MAX = 100
const REDIRECT_URIS_MAX = 10
const URI_CHARACTERS_MAX = 500
// What URL parsers do not all read alike (an upper-case scheme, line breaks, \\, @) and what means something in a
// Content-Security-Policy (; , *) is left out.
const PLAIN_URI = /^https?:\/\/[\w.:[\]-]+([/?][!-~]*)?$/

const Description = z.object({
  client_name: z.string().optional(),
  redirect_uris: z
    .array(z.string().max(URI_CHARACTERS_MAX))
    .min(1)
    .max(REDIRECT_URIS_MAX, `must be 1 to ${REDIRECT_URIS_MAX}`),
})

/**
 * A public client that signs people in with a code and PKCE, whatever else it asks for: RFC 7591 section 2 lets the
 * server substitute the rest, and so no secret has to be kept. Throws `invalid_client_metadata` or
 * `invalid_redirect_uri`.
 */
export function publicClient(client_id: string, description: unknown): ClientMetadata {
  const parsed = Description.safeParse(description)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new errors.InvalidClientMetadata(
      `${issue?.path[0]?.toString() ?? 'the body'} ${issue?.message ?? ''}`,
    )
  }
  const { client_name, redirect_uris } = parsed.data
  redirect_uris.forEach(checkRedirectUri)
  const name = shownName(client_name)
  return {
    client_id,
    ...(name !== '' && { client_name: name }),
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    // A native client's loopback redirect matches with any port, and it is never trusted without asking (RFC 8252).
    application_type: redirect_uris.some((uri) => uri.startsWith('http:')) ? 'native' : 'web',
  }
}

function checkRedirectUri(uri: string): void {
  const url = URL.parse(uri)
  const allowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!allowed || url.hash !== '' || !PLAIN_URI.test(uri)) {
    throw new errors.InvalidClientMetadata(
      'redirect_uris must be https URLs, or http URLs of this machine (127.0.0.1, [::1], localhost), without a user or a fragment',
    )
  }
}

// Shown on the consent page, so nothing in it may be invisible or turn the text around.
function shownName(name = ''): string {
  return Array.from(name.replace(/\p{C}/gu, '').trim()).slice(0, NAME_CHARACTERS_MAX).join('')
}
