import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, codeOf, createBrowser, redeem, refresh } from '../support/oauth.ts'
import { signIn, type SignInRequest } from '../support/sign-in.ts'
import { GATEWAY, PASSWORD, SERVICE, startIdentity, type RunningIdentity } from '../support/identity.ts'

let identity: RunningIdentity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

const as = (person: string, rest: Partial<SignInRequest> = {}) =>
  signIn({ issuer: identity.issuer, resource: GATEWAY, person, password: PASSWORD, ...rest })

describe('signing in', () => {
  it.each([
    ['carol', 'customer', 'Carol Diaz', 'tickets:read tickets:write'],
    ['alice', 'staff', 'Alice Novak', 'tickets:read tickets:write'],
    ['dave', 'admin', 'Dave Moreau', 'tickets:read tickets:write desk:admin'],
  ])('gives %s a token of a %s with the scopes of that role', async (person, role, name, scope) => {
    const signedIn = await as(person)
    const claims = decodeJwt(signedIn.accessToken)
    expect(decodeProtectedHeader(signedIn.accessToken)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    expect(claims).toEqual({
      iss: identity.issuer,
      sub: person,
      aud: GATEWAY,
      client_id: 'desk-local',
      scope,
      role,
      name,
      iat: expect.any(Number) as number,
      exp: (claims.iat ?? 0) + signedIn.expiresIn,
      jti: expect.any(String) as string,
      grant: expect.any(String) as string,
    })
    expect(signedIn.scope).toBe(scope)
    expect(signedIn.expiresIn).toBeGreaterThanOrEqual(3600)
  })

  it('grants no more than was asked for', async () => {
    expect((await as('dave', { scope: 'tickets:read' })).scope).toBe('tickets:read')
  })

  it('leaves out scopes that it does not know', async () => {
    expect((await as('alice', { scope: 'openid offline_access tickets:read other' })).scope).toBe(
      'tickets:read',
    )
  })

  it('refuses a request of which the role allows nothing', async () => {
    await expect(as('carol', { scope: 'desk:admin' })).rejects.toMatchObject({ error: 'access_denied' })
  })
})

describe('the audience of a token (RFC 8707)', () => {
  it.each([
    [GATEWAY, GATEWAY],
    [`${GATEWAY}/`, GATEWAY],
    ['http://localhost:8080/mcp', 'http://localhost:8080/mcp'],
    [SERVICE, SERVICE],
  ])('for the resource %s is %s', async (resource, audience) => {
    const { accessToken } = await as('alice', { resource })
    expect(decodeJwt(accessToken).aud).toBe(audience)
  })

  it.each(['https://evil.example/mcp', 'http://127.0.0.1:8080', `${GATEWAY}//`])(
    'is not given for the resource %s',
    async (resource) => {
      await expect(as('alice', { resource })).rejects.toMatchObject({ error: 'invalid_target' })
    },
  )
})

describe('an authorization request', () => {
  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with the plain method', { code_challenge_method: 'plain' }],
    ['with a challenge and no method', { code_challenge_method: undefined }],
  ])('%s is sent back with invalid_request and the issuer', async (_what, change) => {
    const location = new URL((await startAuthorization(change)).location)
    expect(location.origin).toBe('http://127.0.0.1:5555')
    expect(location.searchParams.get('error')).toBe('invalid_request')
    expect(location.searchParams.get('iss')).toBe(identity.issuer)
  })

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1:5555/other',
    'http://localhost:5555/callback',
  ])('that wants to go on to %s is answered where it is', async (redirect_uri) => {
    const { status, location } = await startAuthorization({ redirect_uri })
    expect({ status, location }).toEqual({ status: 400, location: '' })
  })

  it.each(['token', 'id_token', 'code id_token'])(
    'for the response type %s is refused',
    async (response_type) => {
      const { location } = await startAuthorization({ response_type })
      expect(location).toContain('error=')
      expect(location).not.toContain('access_token')
    },
  )

  it('without a resource means the gateway, and without a scope the least there is', async () => {
    const code = await codeOf(identity.issuer, { resource: undefined, scope: undefined })
    const { body } = await redeem(identity.issuer, code)
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({ aud: GATEWAY, scope: 'tickets:read' })
  })
})

it('a code is worth nothing with another verifier, and its second use revokes what the first gave', async () => {
  const code = await codeOf(identity.issuer)
  const wrong = await redeem(identity.issuer, code, { code_verifier: 'w'.repeat(43) })
  expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const first = await redeem(identity.issuer, code)
  expect(first.status).toBe(200)
  expect(await redeem(identity.issuer, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  const later = await refresh(identity.issuer, first.body.refresh_token ?? '')
  expect(later).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

async function startAuthorization(change: Record<string, string | undefined>) {
  return createBrowser().get(authorizationUrl(identity.issuer, change))
}
