import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeKey, SERVICE, startIdentity } from '../support/identity.ts'
import { authorizationUrl, createBrowser, exchange, refresh, register, tokensOf } from '../support/oauth.ts'

let folder: string
let database: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-keys-'))
  database = join(folder, 'desk.sqlite')
})
afterEach(() => rm(folder, { recursive: true }))

it('a new key in front signs from now on, and tokens of the old one stay good until it is taken away', async () => {
  const [old, young] = [await makeKey('old'), await makeKey('young')]
  const before = await startIdentity({ database, keys: [old] })
  const { accessToken } = await tokensOf(before.issuer)
  await before.close()

  const during = await startIdentity({ database, port: before.port, keys: [young, old] })
  const jwks = createRemoteJWKSet(new URL(`${during.issuer}/jwks`))
  await expect(jwtVerify(accessToken, jwks)).resolves.toBeDefined()
  const signed = await tokensOf(during.issuer)
  expect(decodeProtectedHeader(signed.accessToken).kid).toBe('young')
  const exchanged = await exchange(during.issuer, accessToken, { resource: SERVICE })
  expect(decodeProtectedHeader(exchanged.body.access_token ?? '').kid).toBe('young')
  await during.close()

  const after = await startIdentity({ database, port: before.port, keys: [young] })
  expect(await exchange(after.issuer, accessToken, { resource: SERVICE })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request' },
  })
  await after.close()
})

it('a restart forgets no session, no refresh token, no registration and no sign-in under way', async () => {
  const keys = [await makeKey('k1')]
  const before = await startIdentity({ database, keys })
  const registered = await register(before.issuer, { redirect_uris: ['http://127.0.0.1/callback'] })
  const { client_id } = (await registered.json()) as { client_id: string }
  const used = await tokensOf(before.issuer, { client_id })
  const { body } = await refresh(before.issuer, used.refreshToken, { client_id })
  const browser = createBrowser()
  const page = await browser.follow(authorizationUrl(before.issuer, { client_id }), before.issuer)
  await before.close()

  const after = await startIdentity({ database, keys, port: before.port })
  const login = { csrf: page.csrf, person: 'alice', password: 'correct horse battery staple' }
  const consent = await browser.follow((await browser.post(page.url, login)).location, after.issuer)
  expect(consent.html).toContain('You are signed in as')
  await after.close()

  const later = await startIdentity({ database, keys, port: before.port })
  const again = await browser.follow(authorizationUrl(later.issuer, { client_id }), later.issuer)
  expect(again.html).toContain('You are signed in as')
  const kept = await refresh(later.issuer, body.refresh_token ?? '', { client_id })
  expect(kept.status).toBe(200)
  // A token that was used before the restart is still known to have been used.
  const reused = await refresh(later.issuer, used.refreshToken, { client_id })
  expect(reused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await later.close()
})
