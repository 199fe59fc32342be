import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

it('a secret file that cannot be read is a fault also where the secret is optional', () => {
  const env = { ISSUER: 'http://127.0.0.1:8081/identity', CLIENT_SECRET: 'x'.repeat(32) }
  expect(() => readConfig({ ...env, ASSERTION_KEY_FILE: '/nowhere/key' })).toThrow(
    'ASSERTION_KEY_FILE: cannot read',
  )
  expect(() => readConfig({ ...env, REDIS_URL_FILE: '/nowhere/url' })).toThrow('REDIS_URL_FILE: cannot read')
})

it('an assertion key must be a whole private key, so that no call finds out that it is none', () => {
  const env = { ISSUER: 'http://127.0.0.1:8081/identity', CLIENT_SECRET: 'x'.repeat(32) }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  const read = (key: unknown) => readConfig({ ...env, ASSERTION_KEY: JSON.stringify(key) }).assertionKey
  expect(read(jwk)).toMatchObject({ crv: 'P-256' })
  expect(() => read({ ...jwk, x: 'AAAA' })).toThrow('ASSERTION_KEY: must be a private JSON Web Key')
  expect(() => read({ ...jwk, d: undefined })).toThrow('ASSERTION_KEY: must be a private JSON Web Key')
})
