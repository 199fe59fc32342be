import { mkdir, lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIssuer } from '../../src/backend/issuer.ts'
import { createTokenVerifier } from '../../src/gateway/verify-token.ts'
import { openStdioToken } from '../../src/stdio-token.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

const AUDIENCE = 'http://gateway.test/mcp'

let issuer: TestIssuer
let folder: string
let logged: string
const clock = { now: Date.now() }
beforeEach(async () => {
  issuer = await startTestIssuer()
  folder = await mkdtemp(join(tmpdir(), 'token-'))
  logged = ''
  clock.now = Date.now()
})
afterEach(async () => {
  await issuer.close()
  await rm(folder, { recursive: true })
})

function open(env: Record<string, string>) {
  const own = createIssuer(issuer.issuer, fetch)
  const claims = { scope: 'scope', clientId: 'client_id', role: 'role' }
  return openStdioToken(env, {
    verify: createTokenVerifier({
      issuer: own,
      audiences: [AUDIENCE],
      claims,
      tokenType: 'at+jwt',
      now: () => clock.now,
    }),
    client: { issuer: own },
    resource: AUDIENCE,
    log: pino({}, { write: (line: string) => (logged += line) }),
    now: () => clock.now,
  })
}
const token = (sub: string, seconds: number) =>
  issuer.sign({ sub, aud: AUDIENCE, exp: Math.floor(clock.now / 1000) + seconds })
const later = (seconds: number) => (clock.now += seconds * 1000)

describe('the token of a stdio server', () => {
  it('in a file is read again when it ends, so that whoever writes the file keeps the server going', async () => {
    const file = join(folder, 'token')
    await writeFile(file, await token('alice', 60))
    const caller = await open({ ACCESS_TOKEN_FILE: file })
    expect((await caller()).subject).toBe('alice')
    later(50)
    await writeFile(file, await token('bob', 600))
    expect((await caller()).subject).toBe('bob')
  })

  it('is got with a refresh token, and again with the rotated one, which the file keeps', async () => {
    const file = join(folder, 'refresh')
    await writeFile(file, 'r1')
    const caller = await open({ REFRESH_TOKEN_FILE: file, REFRESH_CLIENT_ID: 'cli' })
    const first = await caller()
    expect(first.subject).toBe('alice')
    expect(await readFile(file, 'utf8')).toBe('r3')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await caller()).token).not.toBe(first.token)
  })

  it('is renewed once for all messages that come at the same time', async () => {
    const caller = await open({ REFRESH_TOKEN: 'r1', REFRESH_CLIENT_ID: 'cli' })
    const callers = await Promise.all([caller(), caller(), caller()])
    expect(new Set(callers.map((one) => one.token)).size).toBe(1)
    expect(logged).toBe('')
  })

  it('is never written through a link that somebody else has left', async () => {
    const file = join(folder, 'refresh')
    await writeFile(file, 'r1')
    await writeFile(join(folder, 'theirs'), 'theirs')
    await symlink(join(folder, 'theirs'), `${file}.new`)
    await open({ REFRESH_TOKEN_FILE: file, REFRESH_CLIENT_ID: 'cli' })
    expect(await readFile(join(folder, 'theirs'), 'utf8')).toBe('theirs')
    expect((await lstat(file)).isFile()).toBe(true)
    expect(await readFile(file, 'utf8')).toBe('r2')
  })

  it('is renewed later where the file could not be read at first', async () => {
    const file = join(folder, 'token')
    await writeFile(file, await token('alice', 60))
    const caller = await open({ ACCESS_TOKEN_FILE: file })
    later(50)
    await rm(file)
    expect((await caller()).subject).toBe('alice')
    await writeFile(file, await token('bob', 600))
    expect((await caller()).subject).toBe('bob')
  })

  it('is used although the rotated refresh token cannot be written, which the log says', async () => {
    const file = join(folder, 'refresh')
    await writeFile(file, 'r1')
    await mkdir(`${file}.new`)
    const caller = await open({ REFRESH_TOKEN_FILE: file, REFRESH_CLIENT_ID: 'cli' })
    expect((await caller()).subject).toBe('alice')
    expect(logged).toContain('REFRESH_TOKEN_FILE cannot be written')
  })

  it('that ends and cannot be renewed is kept, and the log says why without any token', async () => {
    const file = join(folder, 'token')
    await writeFile(file, await token('alice', 60))
    const caller = await open({ ACCESS_TOKEN_FILE: file })
    later(120)
    expect((await caller()).subject).toBe('alice')
    expect(logged).toContain('ACCESS_TOKEN: is refused: the token has expired')
    expect(logged).not.toContain(await readFile(file, 'utf8'))
  })

  it.each([
    ['nothing', {}, /ACCESS_TOKEN: is required/],
    ['a file that is not there', { ACCESS_TOKEN_FILE: '/nowhere/token' }, /ACCESS_TOKEN_FILE: cannot read/],
    ['a refresh token without its client', { REFRESH_TOKEN: 'r1' }, /REFRESH_CLIENT_ID: is required/],
    [
      'a refresh token that is used up',
      { REFRESH_TOKEN: 'r0', REFRESH_CLIENT_ID: 'cli' },
      /REFRESH_TOKEN: is refused \(invalid_grant\)/,
    ],
  ])('with %s stops the start and names the variable', async (_name, env, expected) => {
    await expect(open(env)).rejects.toThrow(expected)
  })
})
