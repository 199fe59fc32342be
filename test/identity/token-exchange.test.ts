import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokenRequest, tokensOf } from '../support/oauth.ts'
import { signIn } from '../support/sign-in.ts'
import { GATEWAY, GATEWAY_SECRET, PASSWORD, PEOPLE, SERVICE, startIdentity } from '../support/identity.ts'
import type { RunningIdentity } from '../support/identity.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

const GATEWAY_CREDENTIALS = `desk-gateway:${encodeURIComponent(GATEWAY_SECRET)}`

let identity: RunningIdentity
let daves: string
beforeAll(async () => {
  identity = await startIdentity()
  daves = await tokenOf('dave', GATEWAY)
})
afterAll(() => identity.close())

describe('the gateway', () => {
  it('gets a token for the service that names person, client and itself', async () => {
    const { status, body } = await exchange({ subject_token: daves })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      scope: 'tickets:read tickets:write desk:admin',
    })
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({
      iss: identity.issuer,
      sub: 'dave',
      aud: SERVICE,
      client_id: 'desk-local',
      role: 'admin',
      name: 'Dave Moreau',
      scope: 'tickets:read tickets:write desk:admin',
      act: { sub: 'desk-gateway' },
    })
  })

  it('may ask for fewer scopes', async () => {
    const { body } = await exchange({ subject_token: daves, scope: 'tickets:read' })
    expect(decodeJwt(body.access_token ?? '').scope).toBe('tickets:read')
  })

  it('may name the service as resource, as audience or as both, with or without a trailing slash', async () => {
    const targets = [
      { audience: SERVICE },
      { resource: `${SERVICE}/` },
      { audience: SERVICE, resource: SERVICE },
    ]
    for (const target of targets) {
      const { status } = await exchange({ subject_token: daves, resource: undefined, ...target })
      expect(status).toBe(200)
    }
  })

  it('gets no scope that the person has lost since', async () => {
    const own = await startIdentity()
    try {
      const { accessToken } = await signIn({
        issuer: own.issuer,
        resource: GATEWAY,
        person: 'dave',
        password: PASSWORD,
      })
      own.people.set('dave', { id: 'dave', name: 'Dave Moreau', role: 'staff' })
      const { body } = await exchange({ subject_token: accessToken }, GATEWAY_CREDENTIALS, own.issuer)
      expect(decodeJwt(body.access_token ?? '')).toMatchObject({
        role: 'staff',
        scope: 'tickets:read tickets:write',
      })
    } finally {
      await own.close()
    }
  })
})

describe('the exchanged token', () => {
  it('lives 300 seconds at the most', async () => {
    const { body } = await exchange({ subject_token: daves })
    const { iat = 0, exp = 0 } = decodeJwt(body.access_token ?? '')
    expect({ lifetime: exp - iat, expires_in: body.expires_in }).toEqual({ lifetime: 300, expires_in: 300 })
  })

  it('never outlives the token it was exchanged for', async () => {
    const claims = { ...decodeJwt(await tokenOf('alice', GATEWAY)), exp: now() + 60 }
    const { body } = await exchange({ subject_token: await identity.sign(claims) })
    expect(decodeJwt(body.access_token ?? '').exp).toBe(claims.exp)
    expect(body.expires_in).toBeLessThanOrEqual(60)
  })
})

describe('a subject token is refused when it', () => {
  const refused: [string, () => Promise<string> | string][] = [
    ['is for the service', () => tokenOf('alice', SERVICE)],
    ['was itself exchanged', async () => (await exchange({ subject_token: daves })).body.access_token ?? ''],
    ['is for somebody else', () => identity.sign(subject({ aud: 'https://other.example/mcp' }))],
    ['comes from another issuer', () => identity.sign(subject({ iss: 'https://other.example' }))],
    ['has expired', () => identity.sign(subject({ exp: now() - 1 }))],
    ['is not valid yet', () => identity.sign(subject({ nbf: now() + 600 }))],
    ['never expires', () => identity.sign(subject({ exp: undefined }))],
    ['is not an access token by its type', () => identity.sign(subject(), { typ: 'JWT' })],
    ['has no client', () => identity.sign(subject({ client_id: undefined }))],
    ['has a scope that is no text', () => identity.sign(subject({ scope: ['tickets:read'] }))],
    ['names nobody', () => identity.sign(subject({ sub: undefined }))],
    ['names a person who is gone', () => identity.sign(subject({ sub: 'mallory' }))],
    ['was tampered with', () => tampered(daves)],
    ['is not signed', () => new UnsecuredJWT(subject()).encode()],
    ['is signed with another key', () => signedElsewhere()],
    ['has no grant behind it', () => identity.sign({ ...decodeJwt(daves), grant: undefined })],
    ['has a grant that never was', () => identity.sign({ ...decodeJwt(daves), grant: 'never' })],
    [
      'has the grant of somebody else',
      async () => {
        const { grant } = decodeJwt(await tokenOf('alice', GATEWAY))
        return identity.sign({ ...decodeJwt(daves), grant })
      },
    ],
    [
      'has the grant of another client',
      () => identity.sign({ ...decodeJwt(daves), client_id: 'desk-other' }),
    ],
    [
      'was revoked',
      async () => {
        const { accessToken, refreshToken } = await tokensOf(identity.issuer)
        await tokenRequest(
          identity.issuer,
          { client_id: 'desk-local', token: refreshToken },
          {},
          'token/revocation',
        )
        return accessToken
      },
    ],
    ['is no token', () => 'nonsense'],
    ['is missing', () => ''],
  ]
  it.each(refused)('%s', async (_what, token) => {
    const { status, body } = await exchange({ subject_token: await token() })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' })
    expect(body.access_token).toBeUndefined()
  })
})

describe('an exchange is refused', () => {
  it.each([
    ['for a wider scope', { scope: 'tickets:read desk:owner' }, 'invalid_scope'],
    ['for a foreign resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['for the gateway itself', { resource: GATEWAY }, 'invalid_target'],
    ['for a foreign audience beside the service', { audience: 'https://evil.example/' }, 'invalid_target'],
    ['without a target', { resource: undefined }, 'invalid_target'],
    [
      'of another token type',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
      'invalid_request',
    ],
    ['without a token type', { subject_token_type: undefined }, 'invalid_request'],
    [
      'into another token type',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
    ],
    ['with an actor token', { actor_token: 'x', actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
  ])('%s', async (_what, change, error) => {
    const { status, body } = await exchange({ subject_token: daves, ...change })
    expect({ status, error: body.error }).toEqual({ status: 400, error })
  })

  it('for a scope that the role allows and the subject token lacks', async () => {
    const subject_token = await tokenOf('dave', GATEWAY, 'tickets:read')
    const { body } = await exchange({ subject_token, scope: 'tickets:read tickets:write' })
    expect(body.error).toBe('invalid_scope')
  })

  it.each([
    ['with a wrong secret', 'desk-gateway:a guess', 401, 'invalid_client'],
    ['for an unknown client', 'desk-other:a guess', 401, 'invalid_client'],
    ['without authentication', null, 400, 'invalid_request'],
  ])('%s', async (_what, credentials, status, error) => {
    const answer = await exchange({ subject_token: daves }, credentials)
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error })
  })

  it('for the public client, which may not exchange', async () => {
    const answer = await exchange({ subject_token: daves, client_id: 'desk-local' }, null)
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('for the gateway by name alone', async () => {
    const answer = await exchange({ subject_token: daves, client_id: 'desk-gateway' }, null)
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 401,
      error: 'invalid_client',
    })
  })
})

it('no token reaches the log', () => {
  expect(identity.logged()).toContain('refused')
  expect(identity.logged()).not.toMatch(/eyJ/)
})

interface Answer {
  readonly access_token?: string
  readonly expires_in?: number
  readonly error?: string
}

async function exchange(
  change: Record<string, string | undefined>,
  credentials: string | null = GATEWAY_CREDENTIALS,
  issuer = identity.issuer,
): Promise<{ status: number; body: Answer }> {
  const usual = { grant_type: GRANT, subject_token_type: ACCESS_TOKEN, resource: SERVICE }
  const params: Record<string, string | undefined> = { ...usual, ...change }
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) body.set(name, value)
  const headers = credentials === null ? {} : { authorization: `Basic ${btoa(credentials)}` }
  const response = await fetch(`${issuer}/token`, { method: 'POST', body, headers })
  return { status: response.status, body: (await response.json()) as Answer }
}

async function tokenOf(person: string, resource: string, scope?: string): Promise<string> {
  const request = { issuer: identity.issuer, resource, person, password: PASSWORD, ...(scope && { scope }) }
  return (await signIn(request)).accessToken
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** The claims of a good subject token, as changed; undefined removes one. */
function subject(change: Record<string, unknown> = {}): JWTPayload {
  return { ...decodeJwt(daves), iat: now(), exp: now() + 600, ...change }
}

function tampered(token: string): string {
  const [header = '', , signature = ''] = token.split('.')
  const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: PEOPLE[0]?.id })).toString(
    'base64url',
  )
  return [header, claims, signature].join('.')
}

async function signedElsewhere(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256')
  return new SignJWT(subject())
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    .sign(privateKey)
}
