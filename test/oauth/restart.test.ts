// Every process of the desk ends and starts again, and more of them run; nobody has to sign in for that.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDesk, type Desk } from '../support/desk.ts'
import { startGateway } from '../support/gateway.ts'
import { authorizationUrl, createBrowser, refresh, register, tokensOf } from '../support/oauth.ts'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk({ tickets: 60 })
}, 60_000)
afterAll(() => desk.close())

it('after a kill of everything, access tokens, refresh tokens, registrations and sessions are good', async () => {
  const { issuer, password } = desk.environment
  const registered = await register(issuer, { redirect_uris: ['http://127.0.0.1/callback'] })
  const { client_id } = (await registered.json()) as { client_id: string }
  const tokens = await tokensOf(issuer, { client_id, person: 'carol', password, resource: desk.url })
  const browser = createBrowser()
  const start = authorizationUrl(issuer, { client_id, resource: desk.url })
  const signIn = await browser.follow(start, issuer)
  await browser
    .post(signIn.url, { csrf: signIn.csrf, person: 'carol', password })
    .then(({ location }) => browser.follow(location, issuer))

  await Promise.all([desk.service.kill('SIGKILL'), desk.gateway.kill('SIGKILL')])
  await Promise.all([desk.service.start(), desk.gateway.start()])

  const search = { name: 'acme_desk__tickets_search', arguments: {} }
  const answer = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.accessToken}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: search }),
  })
  expect(await answer.text()).toContain('structuredContent')
  expect((await browser.follow(start, issuer)).html).toContain('You are signed in as <strong>Carol Diaz')
  expect((await refresh(issuer, tokens.refreshToken, { client_id })).status).toBe(200)
}, 60_000)

it('a token that one gateway has verified works at another one', async () => {
  const token = await desk.token('carol')
  const { ISSUER = '', CLIENT_SECRET = '', BACKEND_URL = '' } = desk.environment.gateway
  const replica = await startGateway({ ISSUER, CLIENT_SECRET, BACKEND_URL, PUBLIC_URL: desk.url })
  const search = { name: 'acme_desk__tickets_search', arguments: {} }
  const first = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: search }),
  })
  expect(await first.text()).toContain('structuredContent')
  expect((await replica.call('tickets_search', {}, token)).structuredContent).toBeDefined()
  await replica.close()
})
