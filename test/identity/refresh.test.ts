import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../backend-api/store/sqlite/database.ts'
import { PASSWORD, PEOPLE, SERVICE, startIdentity, type RunningIdentity } from '../support/identity.ts'
import {
  authorizationUrl,
  createBrowser,
  exchange,
  refresh,
  tokenRequest,
  tokensOf,
} from '../support/oauth.ts'

let identity: RunningIdentity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

const REFUSED = { status: 400, body: { error: 'invalid_grant' } }

describe('a refresh token', () => {
  it('gives a new access token for the same resource, and a new refresh token', async () => {
    const first = await tokensOf(identity.issuer)
    const { status, body } = await refresh(identity.issuer, first.refreshToken)
    expect(status).toBe(200)
    expect(body.refresh_token).not.toBe(first.refreshToken)
    const { aud, sub, scope, grant } = decodeJwt(first.accessToken)
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({ aud, sub, scope, grant })
  })

  it('used twice revokes all that came of that sign-in, and nothing of another one', async () => {
    const [stolen, other] = [await tokensOf(identity.issuer), await tokensOf(identity.issuer)]
    const second = await refresh(identity.issuer, stolen.refreshToken)
    expect(await refresh(identity.issuer, stolen.refreshToken)).toMatchObject(REFUSED)
    expect(await refresh(identity.issuer, second.body.refresh_token ?? '')).toMatchObject(REFUSED)
    const subject = await exchange(identity.issuer, second.body.access_token ?? '', { resource: SERVICE })
    expect(subject).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect((await refresh(identity.issuer, other.refreshToken)).status).toBe(200)
  })

  it('used twice at the same moment works once at the most, and is then worth nothing', async () => {
    const { refreshToken } = await tokensOf(identity.issuer)
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(identity.issuer, refreshToken)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { body } of given) {
      expect(await refresh(identity.issuer, body.refresh_token ?? '')).toMatchObject(REFUSED)
    }
  })

  it('of another client is refused', async () => {
    const { refreshToken } = await tokensOf(identity.issuer)
    expect(await refresh(identity.issuer, refreshToken, { client_id: 'desk-other' })).toMatchObject({
      status: 401,
    })
  })

  it('gives no more scopes than were granted, and fewer when the role has become smaller', async () => {
    const carol = await tokensOf(identity.issuer, { person: 'carol', scope: 'tickets:read' })
    const wider = await refresh(identity.issuer, carol.refreshToken, { scope: 'tickets:read tickets:write' })
    expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })

    const dave = await tokensOf(identity.issuer, { person: 'dave', scope: 'tickets:read desk:admin' })
    identity.people.set('dave', { id: 'dave', name: 'Dave Moreau', role: 'staff' })
    const { body } = await refresh(identity.issuer, dave.refreshToken)
    identity.people.set('dave', { id: 'dave', name: 'Dave Moreau', role: 'admin' })
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({ role: 'staff', scope: 'tickets:read' })
  })

  it('gives nothing once its person is gone', async () => {
    const { refreshToken } = await tokensOf(identity.issuer, { person: 'carol' })
    const carol = PEOPLE[0]
    identity.people.delete('carol')
    expect(await refresh(identity.issuer, refreshToken)).toMatchObject(REFUSED)
    if (carol) identity.people.set('carol', carol)
  })

  it('can be revoked by its client (RFC 7009), and only by that', async () => {
    const { refreshToken } = await tokensOf(identity.issuer)
    const revoke = (client_id: string) =>
      tokenRequest(identity.issuer, { client_id, token: refreshToken }, {}, 'token/revocation')
    expect((await revoke('desk-other')).status).toBe(401)
    expect((await revoke('desk-local')).status).toBe(200)
    expect(await refresh(identity.issuer, refreshToken)).toMatchObject(REFUSED)
  })
})

it('whoever reads the database finds no token and no cookie in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-identity-'))
  const database = join(folder, 'desk.sqlite')
  const own = await startIdentity({ database })
  const { accessToken, refreshToken } = await tokensOf(own.issuer)
  const browser = createBrowser()
  const page = await browser.follow(authorizationUrl(own.issuer), own.issuer)
  const login = { csrf: page.csrf, person: 'alice', password: PASSWORD }
  await browser.follow((await browser.post(page.url, login)).location, own.issuer)
  const session = /_session=([^;]+)/.exec(browser.cookie())?.[1] ?? ''
  const db = openDatabase(database)
  const { rows } = await sql<object>`select * from identity_entries`.execute(db)
  await db.destroy()
  await own.close()
  await rm(folder, { recursive: true })
  expect(rows.length).toBeGreaterThan(2)
  const text = JSON.stringify(rows)
  expect(text).not.toContain(refreshToken)
  expect(text).not.toContain(accessToken)
  expect(session.length).toBeGreaterThan(20)
  expect(text).not.toContain(session)
})
