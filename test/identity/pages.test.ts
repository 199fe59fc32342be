import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, startIdentity, type RunningIdentity } from '../support/identity.ts'
import { authorizationUrl, createBrowser, register, REDIRECT_URI } from '../support/oauth.ts'

let identity: RunningIdentity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

/** A browser at the sign-in page. */
async function atSignIn(change: Record<string, string> = {}, issuer = identity.issuer) {
  const browser = createBrowser()
  return { browser, page: await browser.follow(authorizationUrl(issuer, change), issuer) }
}

/** A browser at the consent page. */
async function atConsent(person: string, change: Record<string, string> = {}) {
  const { browser, page } = await atSignIn(change)
  const { location } = await browser.post(page.url, { csrf: page.csrf, person, password: PASSWORD })
  return { browser, page: await browser.follow(location, identity.issuer) }
}

describe('the sign-in page', () => {
  it('names the client and labels each field', async () => {
    const { page } = await atSignIn()
    expect(page.status).toBe(200)
    expect(page.html).toContain('Desk scripts')
    expect(page.html).toMatch(/<label for="person">/)
    expect(page.html).toMatch(/<label for="password">/)
    expect(page.html).not.toContain('<script')
  })

  it('may load its own style and nothing else, be framed by nobody, and lead to the client only', async () => {
    const { page } = await atSignIn()
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' http://127.0.0.1:5555; " +
        "base-uri 'none'; frame-ancestors 'none'",
    )
    expect(page.headers.get('cache-control')).toBe('no-store')
    const style = await fetch(`${identity.issuer}/style.css`)
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
  })

  it('may lead to an IPv6 address, which the policy cannot name', async () => {
    const redirect_uri = 'http://[::1]:5555/callback'
    const registered = await register(identity.issuer, { redirect_uris: [redirect_uri] })
    const { client_id } = (await registered.json()) as { client_id: string }
    const { page } = await atSignIn({ client_id, redirect_uri })
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http:;")
    expect(page.html).toMatch(/runs on <strong>this computer</)
  })

  it('keeps the session from other servers of the same host', async () => {
    const { browser, page } = await atSignIn()
    const { location } = await browser.post(page.url, {
      csrf: page.csrf,
      person: 'alice',
      password: PASSWORD,
    })
    const { headers } = await browser.get(location)
    const session = headers.getSetCookie().find((cookie) => cookie.startsWith('_session='))
    expect(session).toMatch(/; path=\/identity; samesite=lax; httponly$/)
  })

  it.each([
    ['a wrong password', { person: 'alice', password: 'guess' }],
    ['no password', { person: 'alice', password: '' }],
    ['an unknown person', { person: 'mallory', password: PASSWORD }],
  ])('answers %s in the same words, tied to the fields', async (_what, fields) => {
    const { browser, page } = await atSignIn()
    const refused = await browser.post(page.url, { csrf: page.csrf, ...fields })
    expect(refused.status).toBe(403)
    expect(refused.html).toMatch(/id="error" role="alert">The person or the password is wrong; try again\.</)
    expect(refused.html.match(/aria-invalid="true" aria-describedby="error"/g)).toHaveLength(2)
    expect(refused.html).not.toContain('guess')
  })

  it('escapes what was typed into it', async () => {
    const { browser, page } = await atSignIn()
    const { html } = await browser.post(page.url, { csrf: page.csrf, person: '"><b>', password: 'x' })
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;"')
  })

  it.each([
    ['without a token', {}],
    ['with another token', { csrf: 'x'.repeat(43) }],
  ])('takes no form %s', async (_what, fields) => {
    const { browser, page } = await atSignIn()
    const answer = await browser.post(page.url, { person: 'alice', password: PASSWORD, ...fields })
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 400, location: '' })
  })

  it('takes no form from another browser, nor for another sign-in of the same one', async () => {
    const { page } = await atSignIn()
    const other = await atSignIn()
    const fields = { csrf: page.csrf, person: 'alice', password: PASSWORD }
    const answer = await other.browser.post(page.url, fields)
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('belongs to another browser')
    expect((await createBrowser().post(page.url, fields)).status).toBe(400)
  })

  it('takes no form of more than 4096 bytes, and no other method', async () => {
    const { browser, page } = await atSignIn()
    expect((await browser.post(page.url, { password: 'x'.repeat(5_000) })).status).toBe(413)
    expect((await fetch(page.url, { method: 'PUT' })).status).toBe(400)
  })
})

describe('the consent page', () => {
  it('names client, person and each scope in words, and only what the role allows', async () => {
    const { page } = await atConsent('carol', { scope: 'tickets:read tickets:write desk:admin' })
    expect(page.html).toContain('Allow <span class="client">Desk scripts</span> to use the desk?')
    expect(page.html).toContain('You are signed in as <strong>Carol Diaz</strong>')
    expect(page.html).toContain('search and read the tickets that you can see')
    expect(page.html).toContain('create and comment on tickets in your name')
    expect(page.html).not.toContain('desk:admin')
  })

  it('gives no code without the form, nor for a form without its token', async () => {
    const { browser, page } = await atConsent('alice')
    const forged = await browser.post(page.url, { decision: 'allow' })
    expect(forged.status).toBe(400)
    const later = await browser.follow(authorizationUrl(identity.issuer), identity.issuer)
    expect(later.html).toContain('You are signed in as')
  })

  it('takes a yes for a yes and nothing else', async () => {
    const { browser, page } = await atConsent('alice')
    const answer = await browser.post(page.url, { csrf: page.csrf, decision: 'sign-in' })
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 200, location: '' })
  })

  it('begins again for somebody else with all that was asked for', async () => {
    const browser = createBrowser()
    const url = authorizationUrl(identity.issuer)
    url.searchParams.append('resource', 'http://localhost:8080/mcp')
    const signIn = await browser.follow(url, identity.issuer)
    const fields = { csrf: signIn.csrf, person: 'alice', password: PASSWORD }
    const { location } = await browser.post(signIn.url, fields)
    const page = await browser.follow(location, identity.issuer)
    const switched = await browser.post(page.url, { csrf: page.csrf, decision: 'switch' })
    expect(new URL(switched.location).searchParams.getAll('resource')).toEqual(
      url.searchParams.getAll('resource'),
    )
    expect((await browser.follow(switched.location, identity.issuer)).html).toContain('<h1>Sign in</h1>')
  })

  it('names a registered client as it calls itself, and says that nobody has checked it', async () => {
    const client_name = '<i>Bank</i> \u202egod\u0000'
    const registered = await register(identity.issuer, {
      client_name,
      redirect_uris: ['https://app.example/cb'],
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const { page } = await atConsent('alice', { client_id, redirect_uri: 'https://app.example/cb' })
    expect(page.html).toContain('&lt;i&gt;Bank&lt;/i&gt; god<')
    expect(page.html).toMatch(/runs on <strong>app\.example<\/strong>; nobody has\s+checked its name/)
  })

  it.each(['sign-in', 'consent'])('cancelled at the %s, tells the client so', async (where) => {
    const { browser, page } = where === 'consent' ? await atConsent('alice') : await atSignIn()
    const { location } = await browser.post(page.url, { csrf: page.csrf, decision: 'cancel' })
    const end = await browser.follow(location, identity.issuer)
    const answer = new URL(end.location)
    expect(answer.href.startsWith(REDIRECT_URI)).toBe(true)
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'x',
      iss: identity.issuer,
    })
  })
})

it('errors that cannot go back to the client are a page for people and JSON for programs', async () => {
  const url = authorizationUrl(identity.issuer, { client_id: 'nobody' })
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('does not know the application')
  const json = await fetch(url, { headers: { accept: 'application/json' } })
  expect(await json.json()).toMatchObject({ error: 'invalid_client' })
})

describe('failed sign-ins are limited', () => {
  const guess = async (issuer: string, person: string, password = 'guess') => {
    const { browser, page } = await atSignIn({}, issuer)
    return browser.post(page.url, { csrf: page.csrf, person, password })
  }

  it('to ten for one account, after which the right password has to wait too; others need not', async () => {
    let time = Date.now()
    const own = await startIdentity({ now: () => time })
    for (let failure = 0; failure < 10; failure += 1) {
      expect((await guess(own.issuer, 'alice')).status).toBe(403)
    }
    const limited = await guess(own.issuer, 'alice', PASSWORD)
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('300')
    expect(limited.html).toContain('try again in 300 seconds')
    expect((await guess(own.issuer, 'carol', PASSWORD)).status).toBe(303)
    time += 300_000
    expect((await guess(own.issuer, 'alice', PASSWORD)).status).toBe(303)
    await own.close()
  })

  it('to thirty from one address, with sign-ins to an own account in between too', async () => {
    const own = await startIdentity()
    for (const person of ['alice', 'carol', 'dave']) {
      for (let failure = 0; failure < 9; failure += 1) await guess(own.issuer, person)
      expect((await guess(own.issuer, 'carol', PASSWORD)).status).toBe(303)
    }
    for (const person of ['x', 'y', 'z']) await guess(own.issuer, person)
    expect((await guess(own.issuer, 'alice')).status).toBe(429)
    await own.close()
  })

  it('to thirty from one address, whoever they are for', async () => {
    const own = await startIdentity()
    for (const person of ['alice', 'carol', 'dave']) {
      for (let failure = 0; failure < 9; failure += 1) await guess(own.issuer, person)
    }
    for (const person of ['x', 'y', 'z']) expect((await guess(own.issuer, person)).status).toBe(403)
    expect((await guess(own.issuer, 'carol', PASSWORD)).status).toBe(429)
    await own.close()
  })

  it('when they arrive side by side, too', async () => {
    const own = await startIdentity()
    const { browser, page } = await atSignIn({}, own.issuer)
    const headers = { cookie: browser.cookie(), 'content-type': 'application/x-www-form-urlencoded' }
    const attempts = Array.from({ length: 40 }, () =>
      request(page.url, { method: 'POST', headers, agent: false }),
    )
    for (const attempt of attempts) attempt.write(`csrf=${page.csrf}&person=alice&`)
    // Long enough for all of them to have begun; then their forms end at once.
    await sleep(300)
    const statuses = attempts.map(async (attempt) => {
      attempt.end('password=guess')
      const [response] = (await once(attempt, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    })
    expect((await Promise.all(statuses)).filter((status) => status === 403)).toHaveLength(10)
    await own.close()
  })
})

it('neither password nor code nor cookie gets into the log', async () => {
  const { browser, page } = await atSignIn()
  await browser.post(page.url, { csrf: page.csrf, person: 'alice', password: 'a wrong guess' })
  expect(identity.logged()).toContain('sign-in refused')
  expect(identity.logged()).not.toMatch(/wrong guess|correct horse|eyJ|code_verifier/)
  expect(identity.logged()).not.toContain(page.csrf)
})
