// MCP clients that know the gateway's URL and nothing else, and a person with a browser.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { UnauthorizedError as UnauthorizedErrorV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { decodeJwt } from 'jose'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium, listenForCallback, signInAndAllow, type Callback } from '../support/chromium.ts'
import { startDesk, type Desk } from '../support/desk.ts'
import { serveDocument, type HttpsDocument } from '../support/https-document.ts'
import { rememberSignIn, type RememberedSignIn } from '../support/oauth-provider.ts'

const INFO = { name: 'test-agent', version: '1.0.0' }

let browser: Browser
let desk: Desk
let document: HttpsDocument
let callback: Callback
let context: BrowserContext
let page: Page

beforeAll(async () => {
  callback = await listenForCallback()
  document = await serveDocument({
    client_name: 'Documented agent',
    // Any port of this machine will do (RFC 8252 section 7.3).
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  })
  browser = await launchChromium()
  desk = await startDesk({ tickets: 60, service: { NODE_EXTRA_CA_CERTS: document.certificateFile } })
}, 60_000)
afterAll(async () => {
  await browser.close()
  await desk.close()
  await document.close()
  await callback.close()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
})
afterEach(() => context.close())

const carol = () => ({ person: 'carol', password: desk.environment.password })

/** Connects, is refused, signs in with the browser, connects. */
async function connect(provider: RememberedSignIn, person = carol()) {
  const url = new URL(desk.url)
  const refused = new StreamableHTTPClientTransport(url, { authProvider: provider })
  await expect(newClient().connect(refused)).rejects.toThrow(UnauthorizedError)
  await signInAndAllow(page, provider.wanted(), person)
  await refused.finishAuth(callback.received())
  const client = newClient()
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
  await client.connect(transport)
  return { client, transport }
}

const newClient = () => new Client(INFO, { versionNegotiation: { mode: 'auto' } })
const search = { name: 'acme_desk__tickets_search', arguments: {} }

describe('a client that has only the URL of the gateway gets as far as a tool call, for carol', () => {
  it('when it has a metadata document', async () => {
    const provider = rememberSignIn(callback.url, document.url)
    const { client } = await connect(provider)
    expect(provider.registered()).toMatchObject({ client_id: document.url })
    expect(document.fetched()).toBeGreaterThan(0)
    expect(decodeJwt(provider.held()?.access_token ?? '')).toMatchObject({
      sub: 'carol',
      aud: desk.url,
      client_id: document.url,
    })
    const { structuredContent } = await client.callTool(search)
    const { tickets } = structuredContent as { tickets: { requester: { id: string } }[] }
    expect(new Set(tickets.map(({ requester }) => requester.id))).toEqual(new Set(['carol']))
    await client.close()
  })

  it('when it registers', async () => {
    const provider = rememberSignIn(callback.url)
    const { client } = await connect(provider)
    expect(provider.registered()?.client_id).toMatch(/^[\w-]{36}$/)
    expect((await client.callTool(search)).isError).toBeFalsy()
    await client.close()
  })

  it('when it is of the older generation', async () => {
    const provider = rememberSignIn(callback.url)
    const url = new URL(desk.url)
    // The provider's shape has grown between the generations; what this one asks for is in it.
    const authProvider = provider as unknown as NonNullable<
      ConstructorParameters<typeof TransportV1>[1]
    >['authProvider']
    const refused = new TransportV1(url, { ...(authProvider && { authProvider }) })
    await expect(new ClientV1(INFO).connect(refused)).rejects.toThrow(UnauthorizedErrorV1)
    await signInAndAllow(page, provider.wanted(), carol())
    await refused.finishAuth(callback.received().get('code') ?? '')
    const client = new ClientV1(INFO)
    await client.connect(new TransportV1(url, { ...(authProvider && { authProvider }) }))
    expect((await client.callTool(search)).isError).toBeFalsy()
    await client.close()
  })
})

it('a client that lacks a scope is told so, signs in for it too, and succeeds', async () => {
  const provider = rememberSignIn(callback.url)
  const { client } = await connect(provider)
  expect(provider.held()?.scope).toBe('tickets:read')
  const found = await client.callTool(search)
  const { tickets } = found.structuredContent as { tickets: { id: string; status: string }[] }
  const id = tickets.find(({ status }) => status === 'open')?.id
  const comment = { name: 'acme_desk__ticket_comment', arguments: { id, body: 'Any news?' } }
  await expect(client.callTool(comment)).rejects.toThrow()

  const asked = provider.wanted()
  expect(asked.searchParams.get('scope')?.split(' ').sort()).toEqual(['tickets:read', 'tickets:write'])
  await signInAndAllow(page, asked, carol(), async (consent) => {
    expect(await consent.getByRole('listitem').count()).toBe(2)
  })
  const transport = new StreamableHTTPClientTransport(new URL(desk.url), { authProvider: provider })
  await transport.finishAuth(callback.received())
  expect(provider.held()?.scope).toBe('tickets:read tickets:write')
  expect(await client.callTool(comment)).toMatchObject({ structuredContent: { body: 'Any news?' } })
  await client.close()
})

describe('the pages', () => {
  it('say what was wrong next to the fields, keep the name, and put the cursor on the password', async () => {
    await page.goto(await startOf(rememberSignIn(callback.url)))
    await page.getByLabel('Person').fill('carol')
    await page.getByLabel('Password').fill('a guess')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toContain('The person or the password is wrong')
    expect(await page.getByLabel('Person').inputValue()).toBe('carol')
    const password = page.getByLabel('Password')
    expect(await page.evaluate('document.activeElement.id')).toBe('password')
    const description = await password.getAttribute('aria-describedby')
    expect(await page.locator(`#${description ?? ''}`).textContent()).toContain('wrong')
  })

  it.each([320, 1280])('fit into %s pixels without scrolling sideways', async (width) => {
    await page.setViewportSize({ width, height: 640 })
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    await page.goto(await startOf(rememberSignIn(callback.url)))
    expect(await overflow()).toBe(0)
    await page.getByLabel('Person').fill('carol')
    await page.getByLabel('Password').fill(desk.environment.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Allow Test agent' }).waitFor()
    expect(await overflow()).toBe(0)
  })

  it('load nothing but their stylesheet and break no rule of their own', async () => {
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(await startOf(rememberSignIn(callback.url)))
    expect(asked.filter((path) => !/\/(auth|interaction\/[\w-]+|style\.css)$/.test(path))).toEqual([])
    expect(complaints).toEqual([])
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).borderRadius')).not.toBe(
      '0px',
    )
  })

  it('let the person cancel, and the client learns that', async () => {
    await page.goto(await startOf(rememberSignIn(callback.url)))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('You can close this window').waitFor()
    expect(callback.received().get('error')).toBe('access_denied')
    expect(callback.received().get('iss')).toBe(desk.environment.issuer)
  })

  it('ask nobody for the password twice, and let somebody else sign in', async () => {
    const first = rememberSignIn(callback.url)
    await signInAndAllow(page, new URL(await startOf(first)), carol())
    await page.goto(await startOf(rememberSignIn(callback.url)))
    await page.getByText('You are signed in as Carol Diaz').waitFor()
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click()
    await page.getByLabel('Person').fill('alice')
    await page.getByLabel('Password').fill(desk.environment.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('You are signed in as Alice Novak').waitFor()
  })
})

it('a client may ask for a new sign-in, and somebody else may be the one', async () => {
  await signInAndAllow(page, new URL(await startOf(rememberSignIn(callback.url))), carol())
  const again = new URL(await startOf(rememberSignIn(callback.url)))
  again.searchParams.set('prompt', 'login consent')
  await signInAndAllow(page, again, { ...carol(), person: 'alice' }, async (consent) => {
    await consent.getByText('You are signed in as Alice Novak').waitFor()
  })
  expect(callback.received().get('code')).toBeTruthy()
})

/** Where a client's sign-in begins. */
async function startOf(provider: RememberedSignIn): Promise<string> {
  const transport = new StreamableHTTPClientTransport(new URL(desk.url), { authProvider: provider })
  await newClient()
    .connect(transport)
    .catch(() => undefined)
  return provider.wanted().href
}
