// An issuer of another make: other names of claims, no `at+jwt`, and no token exchange.
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../backend-api/access-token.ts'
import { createIssuerKeys } from '../../backend-api/issuer-keys.ts'
import { createUserAssertions } from '../../backend-api/user-assertion.ts'
import { errorOf, GATEWAY_AUDIENCE, startGateway, type RunningGateway } from '../support/gateway.ts'
import { AUDIENCE, startService, type Service } from '../support/service.ts'

const CLAIMS = { scope: 'scp', clientId: 'appid', role: 'realm_access.roles' }

let privateKey: CryptoKey
let privateJwk: JWK
let publicJwk: JWK
let service: Service
let gateway: RunningGateway
beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  privateKey = pair.privateKey
  privateJwk = { ...(await exportJWK(privateKey)), kid: 'g1' }
  publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'g1' }
  service = await startService({
    claims: CLAIMS,
    tokenType: undefined,
    assertions: { keys: { keys: [publicJwk] }, clientId: 'desk-gateway' },
  })
  gateway = await startGateway({
    ISSUER: service.issuer.issuer,
    CLIENT_SECRET: 'x'.repeat(32),
    BACKEND_URL: service.url,
    BACKEND_AUDIENCE: AUDIENCE,
    SCOPE_CLAIM: 'scp',
    CLIENT_ID_CLAIM: 'appid',
    ROLE_CLAIM: 'realm_access.roles',
    TOKEN_TYPE: 'any',
    ASSERTION_KEY: JSON.stringify(privateJwk),
  })
})
afterAll(async () => {
  await gateway.close()
  await service.close()
})

const tokenOf = (sub: string, roles: string[], scp: string | string[] = ['tickets:read', 'tickets:write']) =>
  service.issuer.sign(
    { sub, aud: GATEWAY_AUDIENCE, scp, appid: 'some-agent', client_id: undefined, realm_access: { roles } },
    { typ: 'JWT' },
  )

describe('an issuer without token exchange', () => {
  it('lets a person work through a signed assertion of the gateway, under their own name', async () => {
    const alice = await tokenOf('alice', ['offline_access', 'staff'])
    const created = await gateway.call(
      'ticket_create',
      { subject: 'Asserted', body: 'By the gateway.' },
      alice,
    )
    expect(created.structuredContent).toMatchObject({ created: true, ticket: { requester: { id: 'alice' } } })
    const { id } = (created.structuredContent as { ticket: { id: string } }).ticket
    const closed = await gateway.call('ticket_close', { id, resolution: 'Works.' }, alice)
    expect(closed.structuredContent).toMatchObject({ status: 'closed' })
  })

  it('keeps both layers of authorisation: the role at the service, the scope at the gateway', async () => {
    const carol = await tokenOf('carol', ['customer'])
    const own = await gateway.call('ticket_create', { subject: 'Hers', body: 'Own.' }, carol)
    const { id } = (own.structuredContent as { ticket: { id: string } }).ticket
    expect(errorOf(await gateway.call('ticket_close', { id, resolution: 'Mine.' }, carol)).class).toBe(
      'forbidden',
    )
    const params = { name: 'acme_desk__desk_export', arguments: {} }
    const response = await gateway.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, carol)
    expect(response.status).toBe(403)
  })

  it('reads scopes from a string as well as from a list', async () => {
    const reader = await tokenOf('alice', ['staff'], 'tickets:read')
    expect((await gateway.call('tickets_search', {}, reader)).isError).toBeUndefined()
  })

  it('without any role that the desk knows is forbidden by the service', async () => {
    const nobody = await tokenOf('mallory', ['offline_access'])
    expect(errorOf(await gateway.call('tickets_search', {}, nobody)).class).toBe('forbidden')
  })
})

describe('the service believes an assertion', () => {
  const assertion = (claims: JWTPayload = {}, key = privateKey, typ = 'desk-user+jwt') => {
    const now = Math.floor(Date.now() / 1000)
    const whole = {
      iss: 'desk-gateway',
      aud: AUDIENCE,
      sub: 'alice',
      client_id: 'a',
      scope: 'tickets:read',
      role: ['staff'],
      iat: now,
      exp: now + 60,
    }
    return new SignJWT({ ...whole, ...claims }).setProtectedHeader({ alg: 'ES256', typ, kid: 'g1' }).sign(key)
  }
  const ask = async (client: string, asserted: string | undefined) => {
    const token = await service.issuer.sign({ sub: client, appid: client, aud: AUDIENCE })
    const headers = {
      authorization: `Bearer ${token}`,
      ...(asserted !== undefined && { 'desk-user-assertion': asserted }),
    }
    return (await fetch(`${service.url}/tickets`, { headers })).status
  }

  it('of the gateway', async () => {
    expect(await ask('desk-gateway', await assertion())).toBe(200)
  })

  it.each<[string, () => Promise<[string, string | undefined]>]>([
    ['next to the token of another client', async () => ['other-client', await assertion()]],
    [
      'signed with another key',
      async () => ['desk-gateway', await assertion({}, (await generateKeyPair('ES256')).privateKey)],
    ],
    [
      'that has ended',
      async () => ['desk-gateway', await assertion({ exp: 1_700_000_000, iat: 1_699_999_990 })],
    ],
    [
      'that was made too long ago',
      async () => ['desk-gateway', await assertion({ iat: Math.floor(Date.now() / 1000) - 600 })],
    ],
    ['for another audience', async () => ['desk-gateway', await assertion({ aud: 'http://elsewhere.test' })]],
    ['of another issuer', async () => ['desk-gateway', await assertion({ iss: 'other' })]],
    ['of another type', async () => ['desk-gateway', await assertion({}, privateKey, 'JWT')]],
    ['that is none', () => Promise.resolve(['desk-gateway', 'nonsense'])],
  ])('but none %s', async (_name, make) => {
    const [client, asserted] = await make()
    expect(await ask(client, asserted)).toBe(401)
  })

  it.each([
    ['its token ends', { token_s: 60, assertion_s: 3600 }],
    ['it is two minutes old', { token_s: 3600, assertion_s: 3600 }],
  ])('until %s, however often it was good before', async (_what, { token_s, assertion_s }) => {
    let time = Math.floor(Date.now() / 1000) * 1000
    const now_s = time / 1000
    const clock = () => new Date(time)
    const { issuer } = service.issuer
    const verify = createAccessTokenVerifier({
      issuer,
      audience: AUDIENCE,
      keys: createIssuerKeys(issuer, clock),
      claims: CLAIMS,
      tokenType: undefined,
      assertions: createUserAssertions({
        keys: { keys: [publicJwk] },
        clientId: 'desk-gateway',
        audiences: [AUDIENCE],
        clock,
      }),
      clock,
    })
    const gatewaysOwn = { sub: 'desk-gateway', appid: 'desk-gateway', aud: AUDIENCE, exp: now_s + token_s }
    const token = await service.issuer.sign(gatewaysOwn)
    const asserted = await assertion({ exp: now_s + assertion_s })
    expect((await verify(token, asserted)).kind).toBe('verified')
    time += (Math.min(token_s, 120) + 10) * 1000
    expect((await verify(token, asserted)).kind).toBe('invalid')
  })

  it('and takes the gateway alone for nobody', async () => {
    expect(await ask('desk-gateway', undefined)).toBe(403)
  })

  it('never, when its keys are not configured', async () => {
    const plain = await startService()
    const token = await plain.issuer.sign({ sub: 'desk-gateway', client_id: 'desk-gateway', aud: AUDIENCE })
    const headers = { authorization: `Bearer ${token}`, 'desk-user-assertion': await assertion() }
    expect((await fetch(`${plain.url}/tickets`, { headers })).status).toBe(401)
    await plain.close()
  })
})
