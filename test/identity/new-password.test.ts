import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, SERVICE, startIdentity } from '../support/identity.ts'
import type { RunningIdentity } from '../support/identity.ts'
import { authorizationUrl, createBrowser, exchange, refresh, tokensOf } from '../support/oauth.ts'

const ACCOUNT = fileURLToPath(new URL('../../backend-api/account/main.ts', import.meta.url))
let folder: string
let database: string
let identity: RunningIdentity
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-password-'))
  database = join(folder, 'desk.sqlite')
  identity = await startIdentity({ database })
})
afterAll(async () => {
  await identity.close()
  await rm(folder, { recursive: true })
})

async function setPassword(person: string, password: string): Promise<void> {
  const env = { PATH: process.env['PATH'], DATABASE_PATH: database }
  const child = spawn(process.execPath, ['--import', 'tsx', ACCOUNT, person], { env })
  child.stdin.end(password)
  expect(await once(child, 'exit')).toEqual([0, null])
}

/** A browser in which a person is signed in, and at the page that asks for consent. */
async function signedIn(person: string) {
  const browser = createBrowser()
  const url = authorizationUrl(identity.issuer)
  const page = await browser.follow(url, identity.issuer)
  const next = await browser.post(page.url, { csrf: page.csrf, person, password: PASSWORD })
  const consent = await browser.follow(next.location, identity.issuer)
  return { browser, consent, again: () => browser.follow(url, identity.issuer) }
}

describe('a new password', () => {
  it('ends what the old one began: sessions, sign-ins under way, refresh tokens and the grants behind tokens', async () => {
    const alice = await tokensOf(identity.issuer, { person: 'alice' })
    const carol = await tokensOf(identity.issuer, { person: 'carol' })
    const browser = await signedIn('alice')
    const other = await signedIn('carol')
    expect((await browser.again()).html).not.toContain('type="password"')

    await setPassword('alice', 'a new password of alice')

    expect((await refresh(identity.issuer, alice.refreshToken)).body.error).toBe('invalid_grant')
    expect((await exchange(identity.issuer, alice.accessToken, { resource: SERVICE })).status).toBe(400)
    expect((await browser.again()).html).toContain('type="password"')
    const { csrf, url } = browser.consent
    const allowed = await browser.browser.post(url, { csrf, decision: 'allow' })
    expect(allowed.location).not.toContain('code=')
    expect(allowed.status).toBe(400)

    expect((await exchange(identity.issuer, carol.accessToken, { resource: SERVICE })).status).toBe(200)
    expect((await refresh(identity.issuer, carol.refreshToken)).status).toBe(200)
    expect((await other.again()).html).not.toContain('type="password"')
  })
})
