// Who may address the gateway and from which pages; what browsers are told, on refusals as well.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { message2025 } from '../support/messages.ts'
import { send, sendBytes } from '../support/raw-http.ts'

const ORIGIN = 'https://desk.example'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({
    PUBLIC_URL: 'http://127.0.0.1:8080/mcp,http://localhost:8080/mcp',
    ALLOWED_HOSTS: '127.0.0.1,gw.internal:8080,any-port.example,[::1]',
    ALLOWED_ORIGINS: `${ORIGIN}, http://localhost:3000`,
  })
})
afterAll(() => desk.close())

function list(headers: Record<string, string>) {
  const { body } = message2025('tools/list')
  const all = { 'content-type': 'application/json', authorization: `Bearer ${desk.tokens.alice}`, ...headers }
  return send(desk.gateway.url, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

describe('The Host', () => {
  it.each([
    'gw.internal:8080',
    'GW.Internal:8080',
    'any-port.example',
    'any-port.example:1234',
    '[::1]',
    '[::1]:8080',
    '127.0.0.1:8080',
    'localhost:8080',
  ])('%s is served when it is listed (C41)', async (host) => {
    expect((await list({ host })).status).toBe(200)
  })

  it.each([
    'evil.example',
    'evil.example:8080',
    'gw.internal',
    'gw.internal:8081',
    'gw.internal:8080.evil.example',
    'any-port.example.evil.example',
    'any-port.example@evil.example',
    'evil.example#any-port.example',
    'localhost',
    '127.0.0.1.evil.example',
    '[::1',
    '[::2]',
    '::1',
    ':8080',
    '127.0.0.1:8080:8080:x',
    'a b',
  ])('%s is refused, also with a good token (C41)', async (host) => {
    const answer = await list({ host })
    expect(answer.status).toBe(403)
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { message: expect.stringContaining('ALLOWED_HOSTS') as string },
    })
  })

  it('must be there once', async () => {
    for (const hosts of ['', 'Host: 127.0.0.1\r\nHost: evil.example\r\n'])
      expect(
        await sendBytes(desk.gateway.origin, `POST /mcp HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`),
      ).toMatch(/^HTTP\/1\.1 40[013] /)
  })

  it('is nothing to probes, which come with the address of a pod', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await send(desk.gateway.origin + path, { headers: { host: '10.1.2.3:8080' } })).status).toBe(
        200,
      )
  })

  it('of a forwarded header is not listened to', async () => {
    const answer = await list({
      host: 'evil.example',
      'x-forwarded-host': '127.0.0.1',
      forwarded: 'host=127.0.0.1',
    })
    expect(answer.status).toBe(403)
  })
})

describe('The Origin', () => {
  it.each([
    'https://evil.example',
    'null',
    'https://desk.example.evil.example',
    'http://desk.example',
    'https://desk.example:444',
    'https://DESK.example',
    '',
  ])('"%s" is refused, whatever the token, and gets no CORS headers', async (origin) => {
    const answer = await list({ origin })
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    const preflight = await send(desk.gateway.url, { method: 'OPTIONS', headers: { origin } })
    expect(preflight.status).toBe(403)
  })

  it('of a page that is allowed gets a preflight without a token (C42)', async () => {
    const asked = {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const answer = await send(desk.gateway.url, { method: 'OPTIONS', headers: asked })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(answer.headers['access-control-allow-methods']).toContain('POST')
    const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(', ')
    for (const header of [
      'authorization',
      'content-type',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'traceparent',
    ])
      expect(allowed).toContain(header)
    expect(answer.headers.vary).toMatch(/origin/i)
  })

  it.each([
    [200, {}],
    [401, { authorization: 'Bearer nonsense' }],
    [401, { authorization: '' }],
    [400, { authorization: 'Bearer a b' }],
    [415, { 'content-type': 'text/plain' }],
  ])('of a page that is allowed can read an answer of %d and its headers (C06)', async (status, headers) => {
    const answer = await list({ origin: ORIGIN, ...headers })
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN)
    const exposed = String(answer.headers['access-control-expose-headers'])
    for (const header of ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'])
      expect(exposed).toContain(header)
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    expect(answer.headers.vary).toMatch(/origin/i)
  })

  it('of a page can read a refusal for want of a scope, and one for the size (C06)', async () => {
    const body = JSON.stringify(message2025('tools/call', { name: 'acme_desk__desk_export' }).body)
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${desk.tokens.alice}`,
      origin: ORIGIN,
    }
    for (const [status, sent] of [
      [403, body],
      [413, body.padEnd(300_000)],
    ] as const) {
      const answer = await send(desk.gateway.url, { method: 'POST', headers, body: sent })
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN)
    }
  })
})
