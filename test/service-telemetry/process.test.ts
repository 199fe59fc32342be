// The ticket service as a process, with its own authorization server, at its most talkative.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PEOPLE } from '../../backend-api/seed/people.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'
import type { CreatedTicket } from '../../openapi/desk.gen.ts'
import { givePassword } from '../../scripts/give-password.ts'
import { localEnvironment } from '../../scripts/local-environment.ts'
import type { LocalEnvironment } from '../../scripts/local-environment.ts'
import { clientWith } from '../support/desk-client.ts'
import { freePort, process } from '../support/desk.ts'
import type { Process } from '../support/desk.ts'
import { CHEAP } from '../support/identity.ts'
import { authorizationUrl, createBrowser, exchange } from '../support/oauth.ts'
import { exitOf, spawnMain } from '../support/service-process.ts'
import { signIn } from '../support/sign-in.ts'
import { valueOf } from './samples.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
let folder: string
let environment: LocalEnvironment
let service: Process
let adminPort: number
let token: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-telemetry-'))
  adminPort = await freePort()
  const ports = { SERVICE_PORT: String(await freePort()), GATEWAY_PORT: String(await freePort()) }
  environment = await localEnvironment(folder, { ...ports, LOG_LEVEL: 'error' })
  const store = await openSqliteStore(environment.databasePath)
  await store.load(PEOPLE, [], 'test')
  await givePassword(store.identity, environment.password, CHEAP)
  await store.close()
  service = process(
    'backend-api/main.ts',
    { ...environment.service, ADMIN_PORT: String(adminPort) },
    new URL('/readyz', environment.serviceUrl),
  )
  await service.start()
  await switchLevel('debug')
  const { issuer, serviceUrl: resource, password } = environment
  token = (await signIn({ issuer, resource, person: 'alice', password })).accessToken
})
afterAll(async () => {
  await service.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

const admin = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${adminPort}${path}`, init)
const value = async (series: string) => valueOf(await (await admin('/metrics')).text(), series)
const desk = () => clientWith(environment.serviceUrl, { Authorization: `Bearer ${token}` })
const logged = (words: string) =>
  service
    .logged()
    .split('\n')
    .filter((line) => line.includes(words))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function switchLevel(expected: string): Promise<void> {
  const before = logged('log_level').length
  globalThis.process.kill(service.pid(), 'SIGUSR2')
  await vi.waitFor(
    () => {
      expect(logged('log_level').slice(before)).toMatchObject([{ log_level: expected }])
    },
    { timeout: 10_000 },
  )
}

test('the admin port serves metrics in the OpenMetrics format, and nothing else', async () => {
  const reply = await admin('/metrics')
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ])
  const text = await reply.text()
  expect(text).toMatch(/# EOF\n?$/)
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(valueOf(text, name), name).toBeGreaterThan(0)
  expect((await admin('/healthz')).status).toBe(404)
  expect((await admin('/v1/tickets')).status).toBe(404)
  const posted = await admin('/metrics', { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await fetch(new URL('/metrics', environment.serviceUrl))).status).toBe(404)
})

test('an admin port that is taken stops the start and is named', async () => {
  const second = spawnMain({
    ...environment.service,
    DATABASE_PATH: join(folder, 'other.sqlite'),
    PORT: '0',
    ADMIN_PORT: String(adminPort),
  })
  expect(await exitOf(second.child)).toBe(1)
  expect(second.log()).toContain(
    `Port ${adminPort} is in use. Stop what uses it, or set ADMIN_PORT to another one.`,
  )
})

test('sign-ins and tokens are counted by outcome, and their requests by a route without an id', async () => {
  const signedIn = 'desk_service_sign_ins_total{outcome="signed_in"}'
  const issued = 'desk_service_tokens_total{grant="authorization_code",outcome="issued"}'
  await expect.poll(() => value(signedIn)).toBe(1)
  expect(await value(issued)).toBe(1)
  const browser = createBrowser()
  const url = authorizationUrl(environment.issuer, { resource: environment.serviceUrl })
  const page = await browser.follow(url, environment.issuer)
  await browser.post(page.url, { csrf: page.csrf, person: 'alice', password: 'not the password of alice' })
  await expect.poll(() => value('desk_service_sign_ins_total{outcome="refused"}')).toBe(1)
  expect((await exchange(environment.issuer, 'no-token')).status).toBe(401)
  await expect
    .poll(() => value('desk_service_tokens_total{grant="token_exchange",outcome="refused"}'))
    .toBe(1)
  const text = await (await admin('/metrics')).text()
  const routes = new Set([...text.matchAll(/http_route="([^"]*)"/g)].map(([, route]) => route))
  expect(routes).toContain('/identity/interaction/{uid}')
  expect(routes).toContain('/identity/token')
  expect([...routes].filter((route) => route?.includes(page.url.split('/').at(-1) ?? ''))).toEqual([])
})

test('a line of the log says which trace, which ticket and how much was sent', async () => {
  const created = await desk().post<CreatedTicket>('/tickets', { body: { subject: 'Printer', body: 'Off.' } })
  const { id } = created.body.ticket
  await desk().get(`/tickets/${id}`, {
    traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
    'X-Request-Id': 'one-request',
  })
  await expect
    .poll(() => logged('one-request').at(-1))
    .toMatchObject({
      // As the gateway writes it, so that the lines of both can be put in order.
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      ...{ msg: 'request', method: 'GET', route: '/v1/tickets/{id}', status: 200, finished: true },
      ...{ ticket: id, trace_id: TRACE_ID, request_id: 'one-request', user: 'alice' },
    })
  const { bytes } = logged('one-request').at(-1) ?? {}
  expect(bytes).toBeGreaterThan(300)
  await desk().get('/tickets/T-0', { 'X-Request-Id': 'not-a-ticket' })
  await expect.poll(() => logged('not-a-ticket').at(-1)).toMatchObject({ code: 'invalid_request' })
  expect(logged('not-a-ticket').at(-1)).not.toHaveProperty('ticket')
})

test('at the debug level nothing in the log is a secret, a word of a ticket or of a search', async () => {
  const secrets = {
    subject: 'Marzipanofen',
    body: 'Zwetschgenkuchen',
    comment: 'Quittengelee',
    resolution: 'Holunderblueten',
    query: 'Sauerampfer',
    tag: 'waldmeister',
    key: 'key-Pfefferminze',
    password: 'a wrong Rhabarberpassword',
    bearer: 'eyJhbGciOiJFUzI1NiJ9.e30.Kardamom',
  }
  const { subject, body, tag, key } = secrets
  const { ticket } = (
    await desk().post<CreatedTicket>('/tickets', { body: { subject, body, tags: [tag] }, key })
  ).body
  await desk().post(`/tickets/${ticket.id}/comments`, { body: { body: secrets.comment } })
  await desk().get(`/tickets?query=${secrets.query}&limit=0`)
  await desk().get(`/tickets?query=${secrets.query}&tag=${tag}`)
  await desk().post('/tickets', { body: { subject, body, priority: secrets.query } })
  await desk().post('/tickets', { body: `{"subject":"${subject}` })
  await desk().post(`/tickets/${ticket.id}/close`, { body: { resolution: secrets.resolution } })
  await desk().post(`/tickets/${ticket.id}/assign`, { body: { assignee: secrets.comment } })
  await desk().get(`/${secrets.query}`)
  await clientWith(environment.serviceUrl, { Authorization: `Bearer ${secrets.bearer}` }).get('/tickets')
  await exchange(environment.issuer, secrets.bearer)
  const { issuer, serviceUrl: resource } = environment
  await expect(signIn({ issuer, resource, person: 'alice', password: secrets.password })).rejects.toThrow()

  await expect.poll(() => logged('sign-in refused')).not.toEqual([])
  const { CURSOR_SECRET, IDENTITY_GATEWAY_SECRET, IDENTITY_KEYS } = environment.service
  const keys = JSON.parse(IDENTITY_KEYS ?? '') as { keys: { d: string }[] }
  const all = [...Object.values(secrets), environment.password, token, CURSOR_SECRET]
  const log = service.logged()
  for (const secret of [...all, IDENTITY_GATEWAY_SECRET, keys.keys[0]?.d]) expect(log).not.toContain(secret)
  expect(log).not.toMatch(/Bearer|eyJ/)
})

test('a refusal of the authorization server is logged under the id of its request', async () => {
  const refused = await fetch(`${environment.issuer}/token`, {
    method: 'POST',
    headers: { 'X-Request-Id': 'refused-exchange' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'nobody' }),
  })
  expect(refused.status).toBe(401)
  await expect
    .poll(() => logged('refused-exchange').map(({ msg, code }) => [msg, code]))
    .toEqual([
      ['authorization server refused a request', 'invalid_client'],
      ['request', undefined],
    ])
})

test('SIGUSR2 switches back to the configured level, and says so', async () => {
  await switchLevel('error')
  const before = service.logged()
  await desk().get('/tickets')
  await desk().get('/tickets')
  expect(service.logged()).toBe(before)
  await switchLevel('debug')
  await desk().get('/people', { 'X-Request-Id': 'after-the-switch' })
  await expect.poll(() => logged('after-the-switch')).not.toEqual([])
})
