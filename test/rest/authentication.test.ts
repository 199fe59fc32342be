import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Problem } from '../../openapi/desk.gen.ts'
import { as, clientWith } from '../support/desk-client.ts'
import { AUDIENCE, claimsOf, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const get = (authorization: string | undefined) =>
  clientWith(service.url, authorization === undefined ? {} : { Authorization: authorization }).get<Problem>(
    '/tickets',
  )
const carol = claimsOf('carol')
const seconds = () => Math.floor(Date.now() / 1000)

test('without a token: 401 and a challenge without an error', async () => {
  const reply = await get(undefined)
  expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="desk"')
  expect(reply.headers.get('cache-control')).toBe('no-store')
})

test('a token for this audience is taken, with and without a slash at the end, alone or among others', async () => {
  for (const aud of [AUDIENCE, `${AUDIENCE}/`, ['http://other.test', AUDIENCE]]) {
    expect((await get(`Bearer ${await service.issuer.sign({ ...carol, aud })}`)).status).toBe(200)
  }
})

test.each([
  ['of another audience', { aud: 'http://other.test' }],
  ['of another issuer', { iss: 'http://issuer.test' }],
  ['that expired', { exp: seconds() - 60 }],
  ['that is not valid yet', { nbf: seconds() + 600 }],
  ['without a subject', { sub: undefined }],
  ['without a client', { client_id: undefined }],
  ['without an expiry', { exp: undefined }],
  ['whose subject is no person id', { sub: 'two words' }],
] satisfies [string, Record<string, unknown>][])('a token %s is refused', async (_what, claims) => {
  const reply = await get(`Bearer ${await service.issuer.sign({ ...carol, aud: AUDIENCE, ...claims })}`)
  expect(reply).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
})

test('a token of another type, key or form is refused', async () => {
  const claims = { ...carol, aud: AUDIENCE }
  const { privateKey } = await generateKeyPair('ES256')
  const good = await service.issuer.sign(claims)
  const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${good.split('.')[1] ?? ''}.`
  const tokens = [
    await service.issuer.sign(claims, { typ: 'JWT' }),
    await service.issuer.sign(claims, { key: privateKey }),
    await service.issuer.sign(claims, { kid: 'unknown' }),
    unsigned,
    good.slice(0, -4),
    'opaque',
    'two words',
  ]
  for (const token of tokens) expect((await get(`Bearer ${token}`)).status, token).toBe(401)
  expect((await get(`Basic ${good}`)).status).toBe(401)
})

test('a role that the desk does not know is forbidden', async () => {
  for (const role of [undefined, 'boss', 1]) {
    const reply = await get(`Bearer ${await service.issuer.sign({ ...carol, aud: AUDIENCE, role })}`)
    expect(reply).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  }
})

test('a missing scope is named in the challenge', async () => {
  const reader = await as(service, 'carol', { scope: 'tickets:read' })
  expect((await reader.get('/tickets')).status).toBe(200)
  const reply = await reader.post<Problem>('/tickets', { body: { subject: 'Printer', body: 'Off.' } })
  expect(reply).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
  expect(reply.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="tickets:write"',
  )
})

test('a verified token is remembered no longer than it lasts', async () => {
  const token = await service.issuer.sign({ ...carol, aud: AUDIENCE, exp: seconds() + 60 })
  expect((await get(`Bearer ${token}`)).status).toBe(200)
  service.clock.now = () => new Date(Date.now() + 70_000)
  expect((await get(`Bearer ${token}`)).status).toBe(401)
  service.clock.now = () => new Date()
})

test('an issuer that does not answer is 503 with Retry-After, and no token is refused for it', async () => {
  const lonely = await startService()
  const token = await lonely.tokenOf('carol')
  await lonely.issuer.close()
  const client = clientWith(lonely.url, { Authorization: `Bearer ${token}` })
  const reply = await client.get<Problem>('/tickets')
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(reply.headers.get('retry-after')).toBe('5')
  await lonely.close()
})

test('no token and no ticket text reaches the log', async () => {
  const client = await as(service, 'carol')
  await client.post('/tickets', { body: { subject: 'Confidential', body: 'Very.' }, key: 'log-test' })
  await client.get('/tickets?query=Confidential')
  const log = service.logLines.join('')
  expect(log).toContain('"user":"carol","client":"test-client"')
  expect(log).toContain('"route":"/v1/tickets"')
  expect(log).not.toMatch(/Confidential|eyJ|log-test/)
})
