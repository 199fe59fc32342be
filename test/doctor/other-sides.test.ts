// Faults that only another side than ours can have: an old service, an issuer that lacks something, one that hangs.
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockCatalogue } from '../../src/tools/catalogue-lock.ts'
import { catalogueOf, changed, entries } from '../catalogue-lock/catalogue-of.ts'
import { makeKey } from '../support/identity.ts'
import { json, startScriptedBackend, type ScriptedBackend } from '../support/scripted-backend.ts'
import { startTestIssuer } from '../support/test-issuer.ts'
import { containing, CONTRACT_VERSION, examined, LOCKED } from './examined.ts'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const KEY = { kty: 'EC', crv: 'P-256', kid: 'k', x: 'A'.repeat(43), y: 'A'.repeat(43) }

let other: ScriptedBackend
let origin: string
let variables: Record<string, string>
beforeAll(async () => {
  other = await startScriptedBackend()
  origin = new URL(other.url).origin
  variables = {
    ISSUER: origin,
    CLIENT_SECRET: 'a secret of more than 16 characters',
    BACKEND_URL: other.url,
    PUBLIC_URL: `${origin}/mcp`,
  }
})
afterAll(() => other.close())

/** Everything is at one place here, so what is not said by `documents` is 404. */
function serve(documents: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}): void {
  other.answer(({ url }, res) => {
    const document = documents[url]
    json(res, document === undefined ? 404 : 200, document ?? {}, headers)
  })
}

function serveIssuer(metadata: Readonly<Record<string, unknown>>, keys: readonly unknown[] = []): void {
  serve({
    '/.well-known/openid-configuration': {
      issuer: origin,
      jwks_uri: `${origin}/jwks`,
      token_endpoint: `${origin}/token`,
      ...metadata,
    },
    '/jwks': { keys },
  })
}

describe('A service', () => {
  it.each([
    ['0.1.0', 'ok'],
    ['0.1.9', 'ok'],
    ['0.2.0', 'wrong'],
    ['0.0.9', 'wrong'],
    ['1.0.0', 'wrong'],
  ])(`with the contract %s, where the gateway has ${CONTRACT_VERSION}, is %s`, async (version, state) => {
    serve({ '/v1/openapi.json': { info: { version } } })
    expect((await examined(variables))['contract']).toMatchObject({ state })
  })

  it('that closes connections without an answer is told so in words', async () => {
    const closing = createServer((socket) => socket.once('data', () => socket.destroy())).listen(
      0,
      '127.0.0.1',
    )
    await once(closing, 'listening')
    const BACKEND_URL = `http://127.0.0.1:${(closing.address() as AddressInfo).port}/v1`
    const found = await examined({ ...variables, BACKEND_URL })
    closing.close()
    expect(found['ticket service']).toMatchObject({
      state: 'wrong',
      detail: containing('closed without an answer'),
      mend: containing('hangs'),
    })
  })

  it('whose clock is an hour behind is told apart by its Date header', async () => {
    serve({}, { date: new Date(Date.now() - 3_600_000).toUTCString() })
    const { clock } = await examined(variables)
    expect(clock).toMatchObject({ state: 'wrong' })
    expect(clock?.detail).toMatch(/the ticket service is 3(599|600) seconds behind this machine/)
  })
})

describe('An issuer', () => {
  it.each([
    ['no PKCE', {}, 'S256'],
    ['no S256', { code_challenge_methods_supported: ['plain'] }, 'S256'],
    ['no token exchange', { grant_types_supported: ['authorization_code'] }, EXCHANGE],
  ])('with %s is told what it lacks', async (_lack, metadata, named) => {
    serveIssuer(metadata)
    const { issuer } = await examined(variables)
    expect(issuer).toMatchObject({ state: 'wrong' })
    expect(issuer?.detail).toContain(named)
  })

  it.each([
    ['no key', [], 'wrong'],
    ['a key for encryption only', [{ ...KEY, use: 'enc' }], 'wrong'],
    ['a key of an algorithm that is not accepted', [{ ...KEY, alg: 'ES512' }], 'wrong'],
    ['no key set', 'none', 'wrong'],
  ])('with %s has it told', async (_lack, keys, state) => {
    serveIssuer({ code_challenge_methods_supported: ['S256'] }, keys as unknown[])
    expect((await examined(variables))['keys']).toMatchObject({ state })
  })

  it.each([
    [401, 'invalid_client', 'CLIENT_SECRET'],
    [400, 'unauthorized_client', 'token exchange'],
    [400, 'unsupported_grant_type', 'ASSERTION_KEY'],
    [400, 'invalid_target', 'BACKEND_AUDIENCE'],
    [500, 'server_error', 'log'],
  ])('whose token endpoint says %i %s is told what to mend', async (status, error, named) => {
    const metadata = { issuer: origin, jwks_uri: `${origin}/jwks`, token_endpoint: `${origin}/token` }
    other.answer(({ url }, res) => {
      if (url === '/token') json(res, status, { error })
      else json(res, 200, metadata)
    })
    const { client } = await examined(variables)
    expect(client).toMatchObject({ state: 'wrong', mend: containing(named) })
  })

  it.each(['invalid_request', 'invalid_grant'])(
    'that says %s found no fault with the client',
    async (error) => {
      const metadata = { issuer: origin, jwks_uri: `${origin}/jwks`, token_endpoint: `${origin}/token` }
      other.answer(({ url }, res) => {
        if (url === '/token') json(res, 400, { error })
        else json(res, 200, metadata)
      })
      expect((await examined(variables))['client']).toMatchObject({ state: 'ok' })
    },
  )
})

describe('With an issuer that cannot exchange and a key to vouch with', () => {
  it.each([
    [200, 'ok', 'read tickets'],
    [401, 'wrong', 'refuses the token'],
    [403, 'wrong', 'does not let this person read'],
    [500, 'wrong', 'HTTP 500'],
  ])('a read that the service answers with %i is %s', async (status, state, said) => {
    const issuer = await startTestIssuer()
    const ASSERTION_KEY = JSON.stringify(await makeKey('vouch'))
    const token = await issuer.sign({ sub: 'alice', aud: `${origin}/mcp`, scope: 'tickets:read' })
    let vouched: unknown
    other.answer(({ url, headers }, res) => {
      if (url.startsWith('/v1/tickets')) vouched = headers['desk-user-assertion']
      json(res, status, {})
    })
    const found = await examined(
      { ...variables, ISSUER: issuer.issuer, ASSERTION_KEY },
      { personToken: () => Promise.resolve(token) },
    )
    await issuer.close()
    expect(found['client']).toMatchObject({ state: 'ok' })
    expect(found['person']).toMatchObject({ state, detail: containing(said) })
    expect(vouched).toBeTypeOf('string')
    expect(JSON.stringify(found)).not.toContain(token)
  })
})

describe('Whoever hangs', () => {
  it('holds the doctor for three seconds at most', async () => {
    other.answer(() => undefined)
    const startedAt = performance.now()
    const found = await examined(variables)
    expect(performance.now() - startedAt).toBeLessThan(6_000)
    expect(found['issuer']).toMatchObject({ state: 'wrong', detail: containing('seconds') })
    expect(found['catalogue']).toMatchObject({ state: 'ok' })
  })
})

describe('A catalogue', () => {
  it('that is not the one locked is told with what changed', async () => {
    serve({})
    const tools = entries.map((entry) => changed(entry, { tool: { scope: 'desk:admin' } }))
    const served = lockCatalogue(catalogueOf(tools), LOCKED.version)
    const { catalogue } = await examined(variables, { served })
    expect(catalogue).toMatchObject({ state: 'wrong', mend: containing('npm run generate') })
    expect(catalogue?.detail).toContain('breaks callers: ticket_get needs the scope desk:admin')
  })
})
