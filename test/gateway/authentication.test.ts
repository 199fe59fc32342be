// Which tokens are let in, what is said to the others, and that no token is ever written down.
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY_AUDIENCE, startGateway, type RunningGateway } from '../support/gateway.ts'
import { message2025 } from '../support/messages.ts'
import { send, type RawAnswer } from '../support/raw-http.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

let issuer: TestIssuer
let gateway: RunningGateway
beforeAll(async () => {
  issuer = await startTestIssuer()
  gateway = await startGateway({
    ISSUER: issuer.issuer,
    PUBLIC_URL: `${GATEWAY_AUDIENCE},http://localhost:8080/mcp`,
    CLIENT_SECRET: 'x'.repeat(32),
    BACKEND_URL: 'http://127.0.0.1:9/v1',
  })
})
afterAll(async () => {
  await gateway.close()
  await issuer.close()
})

const LIST = JSON.stringify(message2025('tools/list').body)
const CLAIMS = { sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:read' }
const now = () => Math.floor(Date.now() / 1000)

function listWith(authorization?: string): Promise<RawAnswer> {
  const headers = {
    'content-type': 'application/json',
    ...(authorization !== undefined && { authorization }),
  }
  return send(gateway.url, { method: 'POST', headers, body: LIST })
}

describe('A request without a usable token', () => {
  it.each([undefined, '', 'Basic YWxpY2U6c2VjcmV0', 'Token abc', 'Bearerabc', 'DPoP abc'])(
    'but with Authorization %j is challenged without an error code',
    async (authorization) => {
      const answer = await listWith(authorization)
      expect(answer.status).toBe(401)
      const challenge = String(answer.headers['www-authenticate'])
      expect(challenge).toMatch(/^Bearer resource_metadata="http:[^"]+", scope="tickets:read"$/)
    },
  )

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer {"a":1}',
    'bearer "x"',
    'Bearer ä',
  ])('but with Authorization "%s" is malformed: 400 invalid_request', async (authorization) => {
    const answer = await listWith(authorization)
    expect(answer.status).toBe(400)
    expect(answer.headers['www-authenticate']).toContain('error="invalid_request"')
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request' })
  })

  it('is challenged when the token is anywhere but in the header', async () => {
    const token = await issuer.sign(CLAIMS)
    const headers = {
      'content-type': 'application/json',
      cookie: `access_token=${token}`,
      'x-access-token': token,
    }
    const answer = await send(`${gateway.url}?access_token=${token}`, { method: 'POST', headers, body: LIST })
    expect(answer.status).toBe(401)
  })
})

describe('A token', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('of ours is let in after "%s"', async (scheme) => {
    expect((await listWith(`${scheme} ${await issuer.sign(CLAIMS)}`)).status).toBe(200)
  })

  it.each([
    GATEWAY_AUDIENCE,
    `${GATEWAY_AUDIENCE}/`,
    'http://localhost:8080/mcp',
    ['https://other.example', GATEWAY_AUDIENCE],
  ])('for the audience %j is let in (C47)', async (aud) => {
    expect((await listWith(`Bearer ${await issuer.sign({ ...CLAIMS, aud })}`)).status).toBe(200)
  })

  const REFUSED: readonly (readonly [string, RegExp, () => Promise<string>])[] = [
    ['that is no JWT', /not valid/, () => Promise.resolve('abc.def')],
    ['for another audience (C47)', /aud/, () => issuer.sign({ ...CLAIMS, aud: 'http://127.0.0.1:8081/v1' })],
    ['for a longer audience', /aud/, () => issuer.sign({ ...CLAIMS, aud: `${GATEWAY_AUDIENCE}/x` })],
    ['for no audience', /aud/, () => issuer.sign({ ...CLAIMS, aud: undefined })],
    ['of another issuer', /iss/, () => issuer.sign({ ...CLAIMS, iss: 'https://evil.example' })],
    ['that has expired (C48)', /expired/, () => issuer.sign({ ...CLAIMS, exp: now() - 60 })],
    ['that never expires', /exp/, () => issuer.sign({ ...CLAIMS, exp: undefined })],
    ['of tomorrow', /nbf/, () => issuer.sign({ ...CLAIMS, nbf: now() + 86_400 })],
    ['without a subject', /sub/, () => issuer.sign({ ...CLAIMS, sub: undefined })],
    ['without a client', /client_id/, () => issuer.sign({ ...CLAIMS, client_id: undefined })],
    ['of another type', /typ/, () => issuer.sign(CLAIMS, { typ: 'JWT' })],
    ['that is an ID token', /typ/, () => issuer.sign(CLAIMS, { typ: 'id+jwt' })],
    [
      'under an unknown key',
      /not valid/,
      async () => issuer.sign(CLAIMS, { key: (await es256()).privateKey, kid: 'other' }),
    ],
    [
      'under a key that only has the name of ours',
      /not valid/,
      async () => issuer.sign(CLAIMS, { key: (await es256()).privateKey }),
    ],
    [
      'without a signature',
      /not valid/,
      () =>
        Promise.resolve(
          new UnsecuredJWT({ ...CLAIMS, iss: issuer.issuer, exp: now() + 60, client_id: 'x' }).encode(),
        ),
    ],
    ['signed with our public key as a secret', /not valid/, signedWithPublicKey],
    ['that was changed', /not valid/, async () => changed(await issuer.sign(CLAIMS))],
  ]

  it.each(REFUSED)('%s is refused with the reason, and stays out of the log', async (_case, reason, make) => {
    const token = await make()
    const answer = await listWith(`Bearer ${token}`)
    expect(answer.status).toBe(401)
    const challenge = String(answer.headers['www-authenticate'])
    expect(challenge).toMatch(
      /^Bearer resource_metadata="[^"]+", scope="tickets:read", error="invalid_token", error_description="[^"]+"$/,
    )
    expect(JSON.parse(answer.body)).toMatchObject({
      error: 'invalid_token',
      error_description: expect.stringMatching(reason) as string,
    })
    for (const part of token.split('.').filter((text) => text.length > 8)) {
      expect(answer.body + challenge).not.toContain(part)
      expect(gateway.logged()).not.toContain(part)
    }
  })

  it('that was let in is refused from the second in which it ends', async () => {
    const token = await issuer.sign({ ...CLAIMS, exp: now() - 4 })
    expect((await listWith(`Bearer ${token}`)).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect((await listWith(`Bearer ${token}`)).status).toBe(401)
  })

  async function signedWithPublicKey(): Promise<string> {
    const jwks = (await (await fetch(`${issuer.issuer}/jwks`)).json()) as { keys: object[] }
    const secret = Buffer.from(JSON.stringify(jwks.keys[0]))
    return new SignJWT({ ...CLAIMS, iss: issuer.issuer, exp: now() + 60, client_id: 'x' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key' })
      .sign(secret)
  }

  /** A token whose payload says something else than what was signed. */
  function changed(token: string): string {
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'dave' })).toString('base64url')
    return [header, other, signature].join('.')
  }
})

function es256() {
  return generateKeyPair('ES256', { extractable: true })
}
