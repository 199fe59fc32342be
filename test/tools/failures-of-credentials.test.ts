// The gateway's own credential is the operator's business: callers see a failed call, the log sees why.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, startGateway, textOf, type RunningGateway } from '../support/gateway.ts'
import { json, problem, startScriptedBackend, TICKET_DETAIL } from '../support/scripted-backend.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'
import { GATEWAY_AUDIENCE } from '../support/gateway.ts'

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' }

describe('A service that refuses the exchanged token (C10)', () => {
  let desk: FaultyDesk
  beforeAll(async () => {
    desk = await startFaultyDesk()
  })
  afterAll(() => desk.close())

  it('once is given a new one, and nobody notices', async () => {
    const seen: string[] = []
    desk.backend.answer(({ headers }, res) => {
      seen.push(String(headers.authorization))
      if (seen.length === 1) problem(res, 401, 'unauthenticated')
      else json(res, 200, TICKET_DETAIL)
    })
    const result = await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
    expect(result.structuredContent).toEqual(TICKET_DETAIL)
    expect(seen).toHaveLength(2)
    expect(seen[1]).not.toBe(seen[0])
    expect(desk.gateway.logged()).not.toContain('gets no access')
  })

  it('is asked again with one new token, however many calls it has refused', async () => {
    const read = () => desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.carol)
    const seen = new Set<string>()
    desk.backend.answer(({ headers }, res) => {
      seen.add(String(headers.authorization))
      // Refusals come one after the other, each after its own while.
      if (seen.size > 1 || seen.values().next().value !== headers.authorization) json(res, 200, TICKET_DETAIL)
      else
        setTimeout(() => {
          problem(res, 401, 'unauthenticated')
        }, 20 * Math.random())
    })
    const results = await Promise.all(Array.from({ length: 12 }, read))
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(seen.size).toBe(2)
  })

  it('always is a failed call and an error in the log, never a challenge to the client', async () => {
    desk.backend.answer((_asked, res) => {
      res.setHeader('WWW-Authenticate', 'Bearer error="invalid_token"')
      problem(res, 401, 'unauthenticated')
    })
    const params = { name: 'acme_desk__ticket_close', arguments: { id: 'T-42', resolution: 'Done.' } }
    const response = await desk.gateway.post({ ...CALL, params }, desk.tokens.alice)
    expect(response.status).toBe(200)
    expect(response.headers.get('www-authenticate')).toBeNull()
    const { result } = (await response.json()) as { result: Parameters<typeof errorOf>[0] }
    expect(errorOf(result)).toMatchObject({ class: 'backend_unavailable', code: 'token_refused' })
    expect(textOf(result)).toContain('Nothing was changed')
    const line = desk.gateway
      .logged()
      .split('\n')
      .find((entry) => entry.includes('gets no access'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, request_id: errorOf(result).request_id })
  })
})

describe('A token endpoint', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const refusing = (status: number, body: unknown) => (res: ServerResponse) => {
    json(res, status, body)
  }

  it.each([
    ['refuses the person', refusing(400, { error: 'invalid_request' }), 'forbidden', 'subject_refused'],
    ['calls the person stale', refusing(400, { error: 'invalid_grant' }), 'forbidden', 'subject_refused'],
    [
      'does not know the gateway',
      refusing(401, { error: 'invalid_client' }),
      'backend_unavailable',
      'issuer_unavailable',
    ],
    [
      'does not serve the service',
      refusing(400, { error: 'invalid_target' }),
      'backend_unavailable',
      'issuer_unavailable',
    ],
    ['fails', refusing(500, { error: 'server_error' }), 'backend_unavailable', 'issuer_unavailable'],
    [
      'answers without a token',
      refusing(200, { expires_in: 60 }),
      'backend_unavailable',
      'issuer_unavailable',
    ],
    [
      'answers with a page',
      (res: ServerResponse) => res.end('<html>'),
      'backend_unavailable',
      'issuer_unavailable',
    ],
    ['breaks off', (res: ServerResponse) => res.destroy(), 'backend_unavailable', 'issuer_unavailable'],
    [
      'redirects',
      (res: ServerResponse) => res.writeHead(307, { location: 'http://127.0.0.1:1/token' }).end(),
      'backend_unavailable',
      'issuer_unavailable',
    ],
  ] as const)('that %s keeps the call from the service', async (_case, answer, failureClass, code) => {
    const { gateway, issuer, asked } = await withTokenEndpoint(answer)
    const token = await issuer.sign({
      sub: 'alice',
      aud: GATEWAY_AUDIENCE,
      scope: 'tickets:read tickets:write',
    })
    const result = await gateway.call('ticket_reopen', { id: 'T-42' }, token)
    expect(errorOf(result)).toMatchObject({ class: failureClass, code })
    expect(asked()).toBe(0)
    expect(textOf(result)).not.toMatch(/<|127\.0\.0\.1|eyJ/)
    expect(gateway.logged()).not.toContain(token)
  })

  it('that hangs uses up the deadline, and a write that never left is said to be none', async () => {
    const { gateway, issuer, asked } = await withTokenEndpoint(
      (res) =>
        void setTimeout(() => {
          json(res, 200, { access_token: 'late', expires_in: 60 })
        }, 400),
    )
    const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:write' })
    const result = await gateway.call('ticket_reopen', { id: 'T-42' }, token)
    expect(errorOf(result).class).toBe('backend_unavailable')
    expect(textOf(result)).toContain('Nothing was changed')
    expect(asked()).toBe(0)
  })

  /** A gateway whose issuer has its keys in one place and this token endpoint in another. */
  async function withTokenEndpoint(
    answer: (res: ServerResponse) => unknown,
  ): Promise<{ gateway: RunningGateway; issuer: TestIssuer; asked: () => number }> {
    const keys = await startTestIssuer()
    const server = createServer((req, res) => {
      if (req.url === '/token') answer(res)
      else json(res, 200, { issuer: own, jwks_uri: `${keys.issuer}/jwks`, token_endpoint: `${own}/token` })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const backend = await startScriptedBackend()
    const gateway = await startGateway({
      ISSUER: own,
      CLIENT_SECRET: 'x'.repeat(32),
      BACKEND_URL: backend.url,
      CALL_TIMEOUT_MS: '250',
    })
    stops.push(
      () => keys.close(),
      () => backend.close(),
      () => gateway.close(),
      async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      },
    )
    const issuer = {
      ...keys,
      sign: (claims: Parameters<TestIssuer['sign']>[0]) => keys.sign({ iss: own, ...claims }),
    }
    return { gateway, issuer, asked: () => backend.asked.length }
  }
})
