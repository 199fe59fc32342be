import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

it('a secret file that cannot be read is a fault also where the secret is optional', () => {
  const env = { ISSUER: 'http://127.0.0.1:8081/identity', CLIENT_SECRET: 'x'.repeat(32) }
  expect(() => readConfig({ ...env, ASSERTION_KEY_FILE: '/nowhere/key' })).toThrow(
    'ASSERTION_KEY_FILE: cannot read',
  )
  expect(() => readConfig({ ...env, REDIS_URL_FILE: '/nowhere/url' })).toThrow('REDIS_URL_FILE: cannot read')
})
