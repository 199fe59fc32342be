import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('the sign-in step', () => {
  it.each([
    ['a wrong password', { person: 'alice', password: 'guess' }],
    ['no password', { person: 'alice', password: '' }],
    ['an unknown person', { person: 'mallory', password: PASSWORD }],
  ])('answers %s in the same words', async (_what, form) => {
    await expect(as(form.person, form)).rejects.toThrow(/\(401\).*The person or the password is wrong/)
  })

  it('says in one sentence what to send', async () => {
    const { location } = await startAuthorization(VALID)
    const response = await fetch(location)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toMatch(/^To sign in, send .+\n$/)
  })

  it('takes no form from another browser than the one that started', async () => {
    const { location } = await startAuthorization(VALID)
    const response = await fetch(location, { method: 'POST', body: form('alice', PASSWORD) })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('belongs to another browser')
  })

  it('takes no form for another sign-in than the one of the browser', async () => {
    const { location } = await startAuthorization(VALID)
    const { cookie } = await startAuthorization(VALID)
    const response = await fetch(location, {
      method: 'POST',
      body: form('alice', PASSWORD),
      headers: { cookie },
    })
    expect(response.status).toBe(400)
  })

  it('takes no form of more than 4096 bytes', async () => {
    const { location, cookie } = await startAuthorization(VALID)
    const body = form('alice', 'x'.repeat(5_000))
    expect((await fetch(location, { method: 'POST', body, headers: { cookie } })).status).toBe(413)
  })

  it('never lets the password or a code into the log', async () => {
    await as('alice')
    await as('alice', { password: 'a wrong guess' }).catch(() => undefined)
    expect(identity.logged()).toContain('sign-in refused')
    expect(identity.logged()).not.toMatch(/wrong guess|correct horse|eyJ|code_verifier/)
  })
})

it('refuses everybody for the rest of the minute after thirty failures', async () => {
  const own = await startIdentity()
  try {
    const attempt = (password: string) =>
      signIn({ issuer: own.issuer, resource: GATEWAY, person: 'alice', password })
    for (let failure = 0; failure < 30; failure += 1) {
      await expect(attempt('guess')).rejects.toThrow(/\((401|429)\)/)
    }
    await expect(attempt(PASSWORD)).rejects.toThrow(/\(429\)/)
  } finally {
    await own.close()
  }
})

it('counts failures that arrive side by side, too', async () => {
  const own = await startIdentity()
  try {
    const { location, cookie } = await startAuthorization(VALID, own.issuer)
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const attempts = Array.from({ length: 70 }, () =>
      request(location, { method: 'POST', headers, agent: false }),
    )
    for (const attempt of attempts) attempt.write('person=alice&')
    // Long enough for all of them to have begun; then their forms end at once.
    await sleep(300)
    const statuses = attempts.map(async (attempt) => {
      attempt.end('password=guess')
      const [response] = (await once(attempt, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    })
    // Thirty, or twice that where a minute ends just now.
    expect((await Promise.all(statuses)).filter((status) => status === 401).length).toBeLessThanOrEqual(60)
  } finally {
    await own.close()
  }
})

const VALID = {
  response_type: 'code',
  client_id: 'desk-local',
  redirect_uri: 'http://127.0.0.1:5555/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  resource: GATEWAY,
  scope: 'tickets:read',
  state: 'x',
}

describe('an authorization request', () => {
  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with the plain method', { code_challenge_method: 'plain' }],
    ['with a challenge and no method', { code_challenge_method: undefined }],
  ])('%s is sent back with invalid_request and the issuer', async (_what, change) => {
    const location = new URL((await startAuthorization({ ...VALID, ...change })).location)
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
    const { status, location } = await startAuthorization({ ...VALID, redirect_uri })
    expect({ status, location }).toEqual({ status: 400, location: '' })
  })

  it.each(['token', 'id_token', 'code id_token'])(
    'for the response type %s is refused',
    async (response_type) => {
      const { location } = await startAuthorization({ ...VALID, response_type })
      expect(location).toContain('error=')
      expect(location).not.toContain('access_token')
    },
  )

  it('without a resource means the gateway', async () => {
    const { location, cookie } = await startAuthorization({ ...VALID, resource: undefined })
    expect(location).toContain('/interaction/')
    expect(cookie).not.toBe('')
  })
})

it('a code is worth nothing with another verifier, and nothing a second time', async () => {
  const { location, cookie } = await startAuthorization(VALID)
  const signedIn = await fetch(location, {
    method: 'POST',
    redirect: 'manual',
    body: form('alice', PASSWORD),
    headers: { cookie },
  })
  const resumed = await fetch(signedIn.headers.get('location') ?? '', {
    redirect: 'manual',
    headers: { cookie },
  })
  const code = new URL(resumed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  expect(code).not.toBe('')
  const redeem = (code_verifier: string) =>
    fetch(`${identity.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'desk-local',
        redirect_uri: VALID.redirect_uri,
        code,
        code_verifier,
      }),
    })
  expect(await (await redeem('w'.repeat(43))).json()).toMatchObject({ error: 'invalid_grant' })
  // The verifier of RFC 7636, appendix B, whose challenge VALID carries.
  const right = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  expect((await redeem(right)).status).toBe(200)
  expect(await (await redeem(right)).json()).toMatchObject({ error: 'invalid_grant' })
})

function form(person: string, password: string): URLSearchParams {
  return new URLSearchParams({ person, password })
}

async function startAuthorization(params: Record<string, string | undefined>, issuer = identity.issuer) {
  const url = new URL(`${issuer}/auth`)
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value)
  const response = await fetch(url, { redirect: 'manual' })
  await response.text()
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { status: response.status, location: response.headers.get('location') ?? '', cookie }
}
