import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIdentity, type RunningIdentity } from '../support/identity.ts'

let identity: RunningIdentity
beforeAll(async () => {
  identity = await startIdentity()
})
afterAll(() => identity.close())

const PATHS = [
  '/.well-known/oauth-authorization-server/identity',
  '/.well-known/openid-configuration/identity',
  '/identity/.well-known/oauth-authorization-server',
  '/identity/.well-known/openid-configuration',
]

describe('the metadata (RFC 8414)', () => {
  it.each(PATHS)('is served at %s', async (path) => {
    const response = await fetch(new URL(path, identity.issuer))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      issuer: identity.issuer,
      authorization_endpoint: `${identity.issuer}/auth`,
      token_endpoint: `${identity.issuer}/token`,
      jwks_uri: `${identity.issuer}/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['tickets:read', 'tickets:write', 'desk:admin'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  it('takes its URLs from the issuer, whatever the Host and the forwarded headers say', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const body = await get(new URL('/identity/.well-known/openid-configuration', identity.issuer), headers)
    expect(body).not.toContain('evil.example')
    expect(body).toContain(`"${identity.issuer}/token"`)
  })

  it('is not served for another path', async () => {
    const response = await fetch(new URL('/.well-known/oauth-authorization-server/other', identity.issuer))
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })
})

it('publishes its keys without their private parts', async () => {
  const response = await fetch(`${identity.issuer}/jwks`)
  const { keys } = (await response.json()) as { keys: object[] }
  expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']])
})

it('prints nothing to stdout', async () => {
  const run = promisify(execFile)
  const session = fileURLToPath(import.meta.resolve('../support/identity-session.ts'))
  const { stdout } = await run(process.execPath, ['--import', 'tsx', session])
  expect(stdout).toBe('')
})

/** node:http, because fetch does not let a Host header through. */
function get(url: URL, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('end', () => {
        resolve(body)
      })
    })
      .on('error', reject)
      .end()
  })
}
