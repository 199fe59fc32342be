// Everything that must not get in, at the running desk: what is answered, and that the log says so without a token.
import { createPublicKey } from 'node:crypto'
import { decodeJwt, importJWK, SignJWT, UnsecuredJWT, type JWK, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDesk, type Desk, type Process } from '../support/desk.ts'
import { makeKey } from '../support/identity.ts'
import { codeOf, exchange, redeem, refresh, tokenRequest, tokensOf } from '../support/oauth.ts'

let desk: Desk
let key: JWK
/** Claims of a token that the gateway takes. */
let good: JWTPayload
beforeAll(async () => {
  desk = await startDesk({ tickets: 60, logLevel: 'debug' })
  key = (JSON.parse(desk.environment.service['IDENTITY_KEYS'] ?? '') as { keys: JWK[] }).keys[0] ?? {}
  good = decodeJwt(await desk.token('carol'))
}, 60_000)
afterAll(() => desk.close())

const now = () => Math.floor(Date.now() / 1000)
const sign = async (change: JWTPayload, header: object = {}, by: JWK = key) =>
  new SignJWT({ ...good, ...change })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid ?? '', ...header })
    .sign(await importJWK(by, 'ES256'))

/** The public key, misused as a secret that everybody knows. */
async function hs256() {
  const publicJwk = { ...key, d: undefined }
  const pem = createPublicKey({ key: publicJwk as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  return new SignJWT(good)
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.kid ?? '' })
    .sign(new TextEncoder().encode(String(pem)))
}

const call = (authorization: string | undefined) =>
  fetch(desk.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(authorization !== undefined && { authorization }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'acme_desk__tickets_search', arguments: {} },
    }),
  })

type Credentials = () => Promise<string> | string | undefined
const bearer = (token: () => Promise<string> | string) => async () => `Bearer ${await token()}`

describe('the gateway refuses', () => {
  const refused: [string, Credentials, number, string | undefined][] = [
    ['no token', () => undefined, 401, undefined],
    ['a malformed header', () => 'Bearer a b', 400, 'invalid_request'],
    ['the wrong scheme', () => 'Basic YTpi', 401, undefined],
    ['garbage', () => 'Bearer garbage', 401, 'invalid_token'],
    ['alg none', bearer(() => new UnsecuredJWT(good).encode()), 401, 'invalid_token'],
    ['HS256 with the public key', bearer(hs256), 401, 'invalid_token'],
    ['the wrong issuer', bearer(() => sign({ iss: 'https://evil.example' })), 401, 'invalid_token'],
    ['the wrong audience', bearer(() => sign({ aud: 'https://evil.example' })), 401, 'invalid_token'],
    ['an expired token', bearer(() => sign({ exp: now() - 60 })), 401, 'invalid_token'],
    ['a token that is not valid yet', bearer(() => sign({ nbf: now() + 600 })), 401, 'invalid_token'],
    [
      'an unknown key',
      bearer(async () => sign({}, { kid: 'unknown' }, await makeKey('unknown'))),
      401,
      'invalid_token',
    ],
    [
      'another key under a known id',
      bearer(async () => sign({}, {}, await makeKey('x'))),
      401,
      'invalid_token',
    ],
    [
      'a token for the service',
      bearer(() => desk.token('carol', { resource: desk.environment.serviceUrl })),
      401,
      'invalid_token',
    ],
  ]
  it.each(refused)('%s', async (_what, credentials, status, error) => {
    const authorization = await credentials()
    const before = loggedBy(desk.gateway).length
    const response = await call(authorization)
    expect(response.status).toBe(status)
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect(challenge).toMatch(
      /^Bearer resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"/,
    )
    expect(/error="([^"]+)"/.exec(challenge)?.[1]).toBe(error)
    await expect.poll(() => loggedBy(desk.gateway).slice(before)).toContain(`"status":${status}`)
    expectNoToken(authorization)
  })
})

describe('the service refuses', () => {
  it('a token for the gateway', async () => {
    const token = await desk.token('carol')
    const response = await fetch(`${desk.environment.serviceUrl}/tickets`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    await expect.poll(() => loggedBy(desk.service)).toContain('"status":401')
    expectNoToken(`Bearer ${token}`)
  })
})

describe('the authorization server refuses', () => {
  const issuer = () => desk.environment.issuer
  const carol = (more: Record<string, string> = {}) => ({
    person: 'carol',
    password: desk.environment.password,
    resource: desk.url,
    ...more,
  })
  const asGateway = () => ({
    authorization: `Basic ${btoa(`desk-gateway:${encodeURIComponent(desk.environment.gateway['CLIENT_SECRET'] ?? '')}`)}`,
  })
  const toService = (more: Record<string, string> = {}) => ({
    resource: desk.environment.serviceUrl,
    ...more,
  })
  /** The secret that was refused, and the answer. */
  type Attempt = () => Promise<readonly [string, { status: number; body: { error?: string } }]>

  const revoked: Attempt = async () => {
    const { accessToken, refreshToken } = await tokensOf(issuer(), carol())
    await tokenRequest(issuer(), { client_id: 'desk-local', token: refreshToken }, {}, 'token/revocation')
    return [accessToken, await exchange(issuer(), accessToken, toService(), asGateway())]
  }
  const expired: Attempt = async () => {
    const token = await sign({ exp: now() - 1 })
    return [token, await exchange(issuer(), token, toService(), asGateway())]
  }
  const anotherClient: Attempt = async () => {
    const { accessToken } = await tokensOf(issuer(), carol())
    const none = {} as { authorization: string }
    return [accessToken, await exchange(issuer(), accessToken, toService({ client_id: 'desk-local' }), none)]
  }
  const widened: Attempt = async () => {
    const { accessToken } = await tokensOf(issuer(), carol({ scope: 'tickets:read' }))
    const wider = toService({ scope: 'tickets:read tickets:write' })
    return [accessToken, await exchange(issuer(), accessToken, wider, asGateway())]
  }
  const replayedCode: Attempt = async () => {
    const code = await codeOf(issuer(), carol())
    await redeem(issuer(), code)
    return [code, await redeem(issuer(), code)]
  }
  const reusedRefreshToken: Attempt = async () => {
    const { refreshToken } = await tokensOf(issuer(), carol())
    await refresh(issuer(), refreshToken)
    return [refreshToken, await refresh(issuer(), refreshToken)]
  }

  it.each<[string, Attempt, string]>([
    ['the exchange of a token that was revoked', revoked, 'invalid_request'],
    ['the exchange of a token that has expired', expired, 'invalid_request'],
    ['an exchange by another client', anotherClient, 'invalid_request'],
    ['an exchange for a wider scope', widened, 'invalid_scope'],
    ['a code that was used', replayedCode, 'invalid_grant'],
    ['a refresh token that was used', reusedRefreshToken, 'invalid_grant'],
  ])('%s', async (_what, attempt, error) => {
    const before = loggedBy(desk.service).length
    const [secret, { status, body }] = await attempt()
    expect({ status, error: body.error }).toEqual({ status: 400, error })
    await expect.poll(() => loggedBy(desk.service).slice(before)).toContain(`"code":"${error}"`)
    expectNoToken(`Bearer ${secret}`)
  })
})

it('a token that was revoked is refused at the gateway from its next exchange on', async () => {
  const { accessToken, refreshToken } = await tokensOf(desk.environment.issuer, {
    person: 'carol',
    password: desk.environment.password,
    resource: desk.url,
  })
  const token = { client_id: 'desk-local', token: refreshToken }
  await tokenRequest(desk.environment.issuer, token, {}, 'token/revocation')
  const response = await call(`Bearer ${accessToken}`)
  expect(await response.text()).not.toContain('structuredContent')
})

function loggedBy(process: Process): string {
  return process.logged()
}

/** Neither process has written the secret, at level debug. */
function expectNoToken(authorization: string | undefined): void {
  const secret = authorization?.split(' ')[1] ?? ''
  const logs = loggedBy(desk.gateway) + loggedBy(desk.service)
  expect(logs).not.toMatch(/eyJ[\w-]{20,}/)
  if (secret.length > 20) expect(logs).not.toContain(secret)
}
