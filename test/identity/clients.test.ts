import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY, SERVICE, startIdentity, type RunningIdentity } from '../support/identity.ts'
import {
  authorizationUrl,
  createBrowser,
  exchange,
  register,
  tokenRequest,
  tokensOf,
} from '../support/oauth.ts'
import { GATEWAY_CREDENTIALS } from '../support/oauth.ts'

const REDIRECT = 'http://127.0.0.1/callback'

let identity: RunningIdentity
let documents: { url: string; answer: (script: (res: ServerResponse) => void) => void; asked: () => number }
let closeDocuments: () => Promise<void>
beforeAll(async () => {
  identity = await startIdentity()
  let script = (res: ServerResponse): void => void res.writeHead(500).end()
  let asked = 0
  const server = createServer((_req, res) => {
    asked += 1
    script(res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  documents = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next) => (script = next),
    asked: () => asked,
  }
  closeDocuments = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})
afterAll(async () => {
  await identity.close()
  await closeDocuments()
})

const send = (document: unknown) => (res: ServerResponse) =>
  void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
const isRefused = async (client_id: string, issuer = identity.issuer) => {
  const response = await fetch(authorizationUrl(issuer, { client_id }), {
    redirect: 'manual',
    headers: { accept: 'application/json' },
  })
  const { error } = (await response.json()) as { error: string }
  return { status: response.status, error }
}
const INVALID_CLIENT = { status: 400, error: 'invalid_client' }

describe('a client with a metadata document', () => {
  it('signs people in without being registered, is fetched once, and comes back on any port', async () => {
    const client_id = `${documents.url}/agent.json`
    documents.answer(send({ client_id, client_name: 'Agent', redirect_uris: [REDIRECT], scope: 'anything' }))
    const before = documents.asked()
    const tokens = await tokensOf(identity.issuer, { client_id })
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ client_id, sub: 'alice' })
    expect(documents.asked() - before).toBe(1)
  })

  const refused: [string, (client_id: string) => (res: ServerResponse) => void][] = [
    ['is about another client', () => send({ client_id: 'https://app.example/', redirect_uris: [REDIRECT] })],
    ['is no object', () => send('hello')],
    [
      'is not JSON by its type',
      (client_id) => (res) => {
        res.writeHead(200, { 'content-type': 'text/html' })
        res.end(JSON.stringify({ client_id, redirect_uris: [REDIRECT] }))
      },
    ],
    [
      'is elsewhere',
      () => (res) => {
        res.writeHead(302, { location: `${documents.url}/agent.json` }).end()
      },
    ],
    [
      'is larger than 10 KiB',
      (client_id) => send({ client_id, redirect_uris: [REDIRECT], client_uri: 'x'.repeat(11_000) }),
    ],
    ['is missing', () => (res) => void res.writeHead(404).end()],
    [
      'breaks off',
      () => (res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        res.write('{')
        setTimeout(() => res.destroy(), 20)
      },
    ],
  ]
  it.each(refused)('is unknown when the document %s', async (what, script) => {
    const client_id = `${documents.url}/${encodeURIComponent(what)}`
    documents.answer(script(client_id))
    expect(await isRefused(client_id)).toEqual(INVALID_CLIENT)
  })

  it('is shown with its host and with where it runs, for any program of a computer can pass for it', async () => {
    const client_id = `${documents.url}/shown.json`
    documents.answer(send({ client_id, redirect_uris: [REDIRECT, 'https://app.example/callback'] }))
    const shown = async (redirect_uri: string) => {
      const url = authorizationUrl(identity.issuer, { client_id, redirect_uri })
      return (await createBrowser().follow(url, identity.issuer)).html.replace(/\s+/g, ' ')
    }
    const host = `It is the application of <strong>${new URL(documents.url).host}</strong>`
    expect(await shown(REDIRECT)).toContain(`${host} and runs on <strong>this computer</strong>`)
    expect(await shown('https://app.example/callback')).toContain(
      `${host} and runs on <strong>app.example</strong>`,
    )
  })

  it('is still known while strangers make up others', async () => {
    const own = await startIdentity()
    const client_id = `${documents.url}/known.json`
    documents.answer(send({ client_id, redirect_uris: [REDIRECT] }))
    await tokensOf(own.issuer, { client_id })
    documents.answer((res) => void res.writeHead(404).end())
    for (let n = 0; n < 210; n += 1) await isRefused(`${documents.url}/${n}`, own.issuer)
    const still = await fetch(authorizationUrl(own.issuer, { client_id }), { redirect: 'manual' })
    expect(still.status).toBe(303)
    await own.close()
  })

  it('is unknown when a redirect is on plain http elsewhere', async () => {
    const client_id = `${documents.url}/bad-redirect.json`
    documents.answer(send({ client_id, redirect_uris: ['http://app.example/callback'] }))
    expect(await isRefused(client_id)).toEqual({ status: 400, error: 'invalid_redirect_uri' })
  })

  it.each(['', '/', '/a#b', '/../a', '/a/./b'])('has a path without tricks: not %j', async (path) => {
    const before = documents.asked()
    expect(await isRefused(`${documents.url}${path}`)).toEqual(INVALID_CLIENT)
    expect(documents.asked()).toBe(before)
  })

  it('is not asked for over http, nor on this machine, where the issuer is a public one', async () => {
    const own = await startIdentity({ issuer: 'https://desk.example/identity' })
    const before = documents.asked()
    for (const host of [documents.url, documents.url.replace('http:', 'https:')]) {
      expect(await isRefused(`${host}/agent.json`, own.url)).toEqual(INVALID_CLIENT)
    }
    expect(documents.asked()).toBe(before)
    await own.close()
  })
})

describe('dynamic registration (RFC 7591)', () => {
  it('makes a public client, whatever else is asked for', async () => {
    const response = await register(identity.issuer, {
      client_name: 'Agent',
      redirect_uris: [REDIRECT],
      grant_types: ['client_credentials', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'desk:admin',
      jwks_uri: 'http://169.254.169.254/',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const client = (await response.json()) as { client_id: string }
    expect(client).toEqual({
      client_id: expect.any(String) as string,
      client_id_issued_at: expect.any(Number) as number,
      client_name: 'Agent',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    })
    const { accessToken } = await tokensOf(identity.issuer, { client_id: client.client_id })
    expect(decodeJwt(accessToken)['client_id']).toBe(client.client_id)
  })

  it.each([
    ['http://app.example/callback'],
    ['https://app.example/callback#fragment'],
    ['https://user:pass@app.example/'],
    ['javascript:alert(1)'],
    ['com.example.app:/callback'],
    ['http://127.0.0.1.evil.example/'],
    ['HTTP://127.0.0.1/callback'],
    ['ht\ntp://127.0.0.1/callback'],
    [' https://app.example/callback'],
    ['https://@app.example/callback'],
    ['https://app.example\\@evil.example/'],
    ['https://app.example;script-src/'],
    ['https://app.example,evil.example/'],
    ['https://*/callback'],
    ['nonsense'],
  ])('refuses the redirect %s', async (uri) => {
    const response = await register(identity.issuer, { redirect_uris: [uri] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_redirect_uri' })
  })

  it('gives no token for the service, which would get around the policy of the gateway', async () => {
    const response = await register(identity.issuer, { redirect_uris: [REDIRECT] })
    const { client_id } = (await response.json()) as { client_id: string }
    await expect(tokensOf(identity.issuer, { client_id, resource: SERVICE })).rejects.toThrow(
      'error=invalid_target',
    )
  })

  it.each([
    ['nothing', {}, 400],
    ['no redirect', { redirect_uris: [] }, 400],
    [
      'eleven redirects',
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://${n}.example/`) },
      400,
    ],
    ['what is not JSON', '{', 400],
    ['more than 8 KiB', { redirect_uris: [REDIRECT], client_name: 'x'.repeat(9_000) }, 413],
  ])('refuses %s and says why', async (_what, metadata, status) => {
    const own = await startIdentity()
    const response = await register(own.issuer, metadata)
    expect(response.status).toBe(status)
    const body = (await response.json()) as { error: string; error_description: string }
    expect(body.error).toMatch(/^invalid_(client_metadata|redirect_uri)$/)
    expect(body.error_description.length).toBeGreaterThan(10)
    await own.close()
  })

  it('is limited to twenty a minute from one address', async () => {
    let time = Date.now()
    const own = await startIdentity({ now: () => time })
    const statuses: number[] = []
    for (let n = 0; n < 21; n += 1)
      statuses.push((await register(own.issuer, { redirect_uris: [REDIRECT] })).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 429])
    time += 60_000
    expect((await register(own.issuer, { redirect_uris: [REDIRECT] })).status).toBe(201)
    await own.close()
  })

  it('is forgotten after a day without a sign-in, and kept with one', async () => {
    let time = Date.now()
    const own = await startIdentity({ now: () => time })
    const newClient = async () => {
      const response = await register(own.issuer, { redirect_uris: [REDIRECT] })
      return ((await response.json()) as { client_id: string }).client_id
    }
    const [unused, used] = [await newClient(), await newClient()]
    await tokensOf(own.issuer, { client_id: used })
    time += 25 * 3_600_000
    expect(await isRefused(unused, own.issuer)).toEqual(INVALID_CLIENT)
    const still = await fetch(authorizationUrl(own.issuer, { client_id: used }), { redirect: 'manual' })
    expect(still.status).toBe(303)
    await own.close()
  })
})

describe('web pages that are clients (CORS)', () => {
  const ORIGIN = 'http://localhost:6274'
  const preflight = (path: string) =>
    fetch(`${identity.issuer}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })

  it.each(['/token', '/token/revocation', '/reg'])('may ask %s first', async (path) => {
    const { status, headers } = await preflight(path)
    expect(status).toBe(204)
    expect(['*', ORIGIN]).toContain(headers.get('access-control-allow-origin'))
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('content-type')
  })

  it.each(['/.well-known/openid-configuration', '/jwks'])('may read %s', async (path) => {
    const response = await fetch(`${identity.issuer}${path}`, { headers: { origin: ORIGIN } })
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  })

  it('may register and get tokens for their own client, and for no other', async () => {
    const redirect_uri = `${ORIGIN}/callback`
    const registered = await register(identity.issuer, { redirect_uris: [redirect_uri] }, { origin: ORIGIN })
    expect(registered.headers.get('access-control-allow-origin')).toBe('*')
    const { client_id } = (await registered.json()) as { client_id: string }
    const { refreshToken } = await tokensOf(identity.issuer, { client_id, redirect_uri })
    const from = (origin: string) =>
      tokenRequest(
        identity.issuer,
        { grant_type: 'refresh_token', client_id, refresh_token: refreshToken },
        { origin },
      )
    const foreign = await from('https://evil.example')
    expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const own = await from(ORIGIN)
    expect(own.status).toBe(200)
    expect(own.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  })
})

describe('client credentials', () => {
  const asGateway = { authorization: `Basic ${btoa(GATEWAY_CREDENTIALS)}` }
  const ask = (change: Record<string, string>, headers: Record<string, string> = asGateway) =>
    tokenRequest(
      identity.issuer,
      { grant_type: 'client_credentials', scope: 'tickets:read tickets:write desk:admin', ...change },
      headers,
    )

  it('give the gateway a token of its own for the service, to read with', async () => {
    const { status, body } = await ask({})
    expect(status).toBe(200)
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({
      aud: SERVICE,
      sub: 'desk-gateway',
      client_id: 'desk-gateway',
      role: 'staff',
      scope: 'tickets:read',
    })
    const subject = await exchange(identity.issuer, body.access_token ?? '', { resource: SERVICE })
    expect(subject).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('give no token for the gateway itself, and none to anybody else', async () => {
    expect(await ask({ resource: GATEWAY })).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
    expect((await ask({ client_id: 'desk-local' }, {})).status).toBe(400)
  })
})
