// An OAuth client of a few lines, so that tests can also do what a well-behaved library would not.
import { passPages } from '../../scripts/pass-pages.ts'
import { GATEWAY, GATEWAY_SECRET, PASSWORD } from './identity.ts'

export const REDIRECT_URI = 'http://127.0.0.1:5555/callback'
export const GATEWAY_CREDENTIALS = `desk-gateway:${encodeURIComponent(GATEWAY_SECRET)}`
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
// The pair of RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

type Params = Readonly<Record<string, string | undefined>>

export interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly access_token?: string
    readonly refresh_token?: string
    readonly expires_in?: number
    readonly scope?: string
    readonly error?: string
    readonly error_description?: string
  }
}

export function authorizationUrl(issuer: string, change: Params = {}): URL {
  const usual = {
    response_type: 'code',
    client_id: 'desk-local',
    redirect_uri: REDIRECT_URI,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: GATEWAY,
    scope: 'tickets:read tickets:write',
    state: 'x',
  }
  return withParams(new URL(`${issuer}/auth`), { ...usual, ...change })
}

/** Signs in and allows; returns the code. */
export async function codeOf(
  issuer: string,
  { person = 'alice', password = PASSWORD, ...change }: Params = {},
) {
  const redirectUri = change['redirect_uri'] ?? REDIRECT_URI
  const callback = await passPages(authorizationUrl(issuer, change), redirectUri, { person, password })
  const code = callback.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${callback.href}`)
  return code
}

/** The whole flow; `change` differs from what desk-local would ask for alice. */
export async function tokensOf(issuer: string, change: Params = {}) {
  const { client_id = 'desk-local', redirect_uri = REDIRECT_URI } = change
  const code = await codeOf(issuer, change)
  const answer = await redeem(issuer, code, { client_id, redirect_uri })
  const { access_token: accessToken, refresh_token: refreshToken, scope } = answer.body
  if (accessToken === undefined || refreshToken === undefined) throw new Error(JSON.stringify(answer.body))
  return { accessToken, refreshToken, scope }
}

export function redeem(issuer: string, code: string, change: Params = {}): Promise<TokenAnswer> {
  const usual = { client_id: 'desk-local', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }
  return tokenRequest(issuer, { grant_type: 'authorization_code', code, ...usual, ...change })
}

export function refresh(issuer: string, refresh_token: string, change: Params = {}): Promise<TokenAnswer> {
  return tokenRequest(issuer, {
    grant_type: 'refresh_token',
    client_id: 'desk-local',
    refresh_token,
    ...change,
  })
}

export function exchange(issuer: string, subject_token: string, change: Params = {}, headers = GATEWAY_ONLY) {
  const usual = { grant_type: TOKEN_EXCHANGE, subject_token_type: ACCESS_TOKEN, subject_token }
  return tokenRequest(issuer, { ...usual, ...change }, headers)
}

const GATEWAY_ONLY = { authorization: `Basic ${btoa(GATEWAY_CREDENTIALS)}` }

export async function tokenRequest(
  issuer: string,
  params: Params,
  headers: Readonly<Record<string, string>> = {},
  endpoint = 'token',
): Promise<TokenAnswer> {
  const body = withParams(new URL(issuer), params).searchParams
  const response = await fetch(`${issuer}/${endpoint}`, { method: 'POST', body, headers })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as TokenAnswer['body'],
  }
}

export function register(issuer: string, metadata: unknown, headers: Record<string, string> = {}) {
  return fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
}

/** A browser without scripts: cookies, and redirects one by one. */
export function createBrowser() {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (url: string | URL, init: RequestInit = {}) => {
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { cookie: cookie() },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const html = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      html,
      csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '',
      location: response.headers.get('location') ?? '',
      url: String(url),
    }
  }
  return {
    cookie,
    get: (url: string | URL) => send(url),
    post: (url: string | URL, fields: Record<string, string>) =>
      send(url, { method: 'POST', body: new URLSearchParams(fields) }),
    /** As far as the next page, or to the first address outside the issuer. */
    async follow(url: string | URL, within: string) {
      let step = await send(url)
      while (step.location.startsWith(within)) step = await send(step.location)
      return step
    },
  }
}

function withParams(url: URL, params: Params): URL {
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value)
  return url
}
