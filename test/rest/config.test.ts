import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, test } from 'vitest'
import { readConfig } from '../../backend-api/config.ts'

const minimal = {
  CURSOR_SECRET: 'a secret for tests of 32 characters',
  ISSUER: 'http://127.0.0.1:8081/identity',
  AUDIENCE: 'http://127.0.0.1:8081/v1',
}
const faultsOf = (environment: Record<string, string>) => {
  const result = readConfig(environment)
  return result.ok ? [] : result.faults
}
const configOf = (environment: Record<string, string>) => {
  const result = readConfig(environment)
  if (!result.ok) throw new Error(result.faults.join('\n'))
  return result.config
}

test('three variables are enough, and an empty one counts as unset', () => {
  expect(configOf({ ...minimal, PORT: '', IDENTITY_GATEWAY_SECRET: ' ', ALLOWED_ORIGINS: '' })).toMatchObject(
    {
      host: '127.0.0.1',
      port: 8081,
      databasePath: '.local/desk.sqlite',
      logLevel: 'info',
      validateResponses: true,
      allowedOrigins: [],
      identity: undefined,
    },
  )
})

test('metrics are served on loopback once they have a port', () => {
  expect(configOf(minimal).admin).toBeUndefined()
  expect(configOf({ ...minimal, ADMIN_PORT: '9465' }).admin).toEqual({ host: '127.0.0.1', port: 9465 })
  expect(faultsOf({ ...minimal, ADMIN_PORT: '65536' })).toEqual(['ADMIN_PORT must be a port, 0 to 65535.'])
})

test('all faults are listed at once, each with its variable and the fix', () => {
  const faults = faultsOf({
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    CURSOR_SECRET: 'short',
    ISSUER: 'nowhere',
    ALLOWED_ORIGINS: 'http://ui.test/path',
  })
  for (const name of ['PORT', 'LOG_LEVEL', 'CURSOR_SECRET', 'ISSUER', 'AUDIENCE', 'ALLOWED_ORIGINS']) {
    expect(
      faults.filter((fault) => fault.startsWith(`${name} must be`) || fault.startsWith(`${name} must have`)),
      name,
    ).toHaveLength(1)
  }
  expect(faults.join()).not.toContain('short')
})

test('the embedded authorization server takes all of its variables or none', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  const all = {
    IDENTITY_KEYS: JSON.stringify({
      keys: [
        { ...key, kid: 'new' },
        { ...key, kid: 'old' },
      ],
    }),
    IDENTITY_GATEWAY_SECRET: 'another secret for tests of 32 characters',
    IDENTITY_GATEWAY_AUDIENCE: 'http://127.0.0.1:8080/mcp,http://localhost:8080/mcp',
  }
  expect(configOf({ ...minimal, ...all }).identity).toMatchObject({
    gatewayAudiences: ['http://127.0.0.1:8080/mcp', 'http://localhost:8080/mcp'],
  })
  const [fault] = faultsOf({ ...minimal, IDENTITY_KEYS: all.IDENTITY_KEYS })
  expect(fault).toMatch(/^IDENTITY_GATEWAY_SECRET, IDENTITY_GATEWAY_AUDIENCE must be set too/)
  expect(faultsOf({ ...minimal, ...all, IDENTITY_KEYS: '{"keys":[]}' })).toHaveLength(1)
  expect(faultsOf({ ...minimal, ...all, IDENTITY_KEYS: 'no JSON' })).toHaveLength(1)
  for (const keys of [
    [key],
    [{ ...key, kid: '' }],
    [
      { ...key, kid: 'a' },
      { ...key, kid: 'a' },
    ],
  ]) {
    expect(faultsOf({ ...minimal, ...all, IDENTITY_KEYS: JSON.stringify({ keys }) })).toEqual([
      'IDENTITY_KEYS must have a kid for each key, none of them twice.',
    ])
  }
  for (const ISSUER of ['http://127.0.0.1:8081', `${minimal.ISSUER}/`]) {
    expect(faultsOf({ ...minimal, ...all, ISSUER })).toEqual([
      expect.stringMatching(/^ISSUER must have a path/),
    ])
    expect(configOf({ ...minimal, ISSUER }).issuer).toBe(ISSUER)
  }
})

test('responses are checked unless in production, and as told', () => {
  expect(configOf({ ...minimal, NODE_ENV: 'production' }).validateResponses).toBe(false)
  expect(configOf({ ...minimal, NODE_ENV: 'production', VALIDATE_RESPONSES: 'true' }).validateResponses).toBe(
    true,
  )
})

test('a secret may be in a file, but not in both places', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-secret-'))
  const file = join(folder, 'secret')
  await writeFile(file, `${minimal.CURSOR_SECRET}\n`)
  const { CURSOR_SECRET, ...rest } = minimal
  expect(configOf({ ...rest, CURSOR_SECRET_FILE: file }).cursorSecret).toBe(CURSOR_SECRET)
  expect(faultsOf({ ...minimal, CURSOR_SECRET_FILE: file })[0]).toContain('both set')
  expect(faultsOf({ ...rest, CURSOR_SECRET_FILE: join(folder, 'none') })[0]).toContain('CURSOR_SECRET_FILE')
  await rm(folder, { recursive: true })
})
