// The issuer's token endpoint (RFC 6749 section 3.2).
import { z } from 'zod'
import type { Issuer } from './issuer.ts'

const TIMEOUT_MS = 3_000
const Granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).optional(),
})

export interface OAuthClient {
  readonly issuer: Issuer
  readonly clientId: string
  /** Undefined for a public client, which only names itself. */
  readonly clientSecret: string | undefined
}

export type Grant =
  | {
      readonly kind: 'granted'
      readonly token: string
      readonly lifetimeS: number
      readonly refreshToken: string | undefined
    }
  /** `error` is the code of RFC 6749 section 5.2. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  | { readonly kind: 'unreachable'; readonly cause: string }

/** Posts a grant request, with `headers` besides its own. Never rejects; waits three seconds at most, once the issuer is found. */
export async function requestToken(
  client: OAuthClient,
  parameters: Record<string, string>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Grant> {
  try {
    const { token_endpoint } = await client.issuer.metadata()
    const response = await client.issuer.fetch(token_endpoint, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...headers,
        ...(client.clientSecret !== undefined && {
          authorization: basic(client.clientId, client.clientSecret),
        }),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        ...parameters,
        ...(client.clientSecret === undefined && { client_id: client.clientId }),
      }).toString(),
    })
    const body: unknown = await response.json()
    if (response.ok) {
      const { access_token, expires_in, refresh_token } = Granted.parse(body)
      return { kind: 'granted', token: access_token, lifetimeS: expires_in, refreshToken: refresh_token }
    }
    const error = z.object({ error: z.string() }).safeParse(body).data?.error ?? 'no error code'
    return { kind: 'refused', status: response.status, error }
  } catch (error) {
    // What cannot be parsed is quoted in the parser's message, and it may be a token.
    const quotes = error instanceof SyntaxError || error instanceof z.ZodError
    return { kind: 'unreachable', cause: quotes ? 'not the answer of a token endpoint' : String(error) }
  }
}

/** RFC 6749 section 2.3.1: both halves are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`
}
