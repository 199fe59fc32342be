// The environment: every fault at once, each by the name of its variable.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

const MINIMUM = { ISSUER: 'http://127.0.0.1:8081/identity', CLIENT_SECRET: 'a secret of 16 or more' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Names of the variables that are named at fault, in order. */
function namedFor(env: Record<string, string>): string[] {
  return faultsOf(env).map((line) => line.trim().split(':')[0] ?? '')
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message.split('\n')
  }
  return []
}

describe('The configuration', () => {
  it('needs an issuer and a secret, and has plain defaults for the rest', () => {
    const config = readConfig(MINIMUM)
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      backendAudience: 'http://127.0.0.1:8081/v1',
      clientId: 'desk-gateway',
      namespace: 'acme_desk',
      allowedHosts: ['127.0.0.1:8080', 'localhost:8080'],
      allowedOrigins: [],
      callTimeoutMs: 20_000,
      limits: { reads: 3_000, writes: 600, exports: 120 },
      limitHardFactor: 4,
      redisUrl: undefined,
      maxCallsInFlight: 64,
      maxCallsInFlightPerClient: 16,
      adminPort: undefined,
      logLevel: 'info',
    })
    expect(config.publicUrls.map(({ href }) => href)).toEqual([
      'http://127.0.0.1:8080/mcp',
      'http://localhost:8080/mcp',
    ])
  })

  it('cannot be changed', () => {
    expect(() => Object.assign(readConfig(MINIMUM), { port: 1 })).toThrow(TypeError)
  })

  it('takes empty for unset', () => {
    const empty = {
      HOST: '',
      PORT: '',
      PUBLIC_URL: '',
      ADMIN_PORT: '',
      BACKEND_AUDIENCE: '',
      CALL_TIMEOUT_MS: '',
      LOG_LEVEL: '',
    }
    expect(readConfig({ ...MINIMUM, ...empty, CLIENT_SECRET_FILE: '' })).toEqual(readConfig(MINIMUM))
    expect(namedFor({ ISSUER: '', CLIENT_SECRET: '' })).toEqual(['ISSUER', 'CLIENT_SECRET'])
  })

  it('reads lists with blanks and empty entries', () => {
    const config = readConfig({ ...MINIMUM, ALLOWED_ORIGINS: ' https://a.example , ,https://b.example,' })
    expect(config.allowedOrigins).toEqual(['https://a.example', 'https://b.example'])
  })
})

describe('Faults', () => {
  it('are listed all at once, each with its variable and what it must be', () => {
    const faults = faultsOf({
      PORT: '70000',
      PUBLIC_URL: 'gw.example',
      BACKEND_URL: 'ftp://x',
      CLIENT_SECRET: 'short',
      CALL_TIMEOUT_MS: '60000',
      LOG_LEVEL: 'loud',
    })
    expect(faults).toEqual([
      '  PORT: must be a whole number from 0 to 65535',
      '  PUBLIC_URL: must be an http(s) URL',
      '  BACKEND_URL: must be an http(s) URL',
      '  ISSUER: is required and not set',
      '  CLIENT_SECRET: must have at least 16 characters',
      '  CALL_TIMEOUT_MS: must be a whole number from 100 to 55000',
      expect.stringMatching(/^ {2}LOG_LEVEL: .*"silent"\|"error"\|"warn"\|"info"\|"debug"/),
    ])
  })

  it('never repeat a secret', () => {
    expect(faultsOf({ ISSUER: 'x', CLIENT_SECRET: 'hunter2' }).join()).not.toContain('hunter2')
  })

  it.each([
    ['PORT', 'abc'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['ADMIN_PORT', '65536'],
    ['PUBLIC_URL', ','],
    ['PUBLIC_URL', 'http://ok/mcp,nonsense'],
    ['ISSUER', 'javascript:alert(1)'],
    ['ISSUER_BACKCHANNEL', 'http://issuer:8081/identity'],
    ['ISSUER_BACKCHANNEL', 'ftp://issuer'],
    ['CALL_TIMEOUT_MS', '99'],
    ['LIMIT_READS_PER_MINUTE', '-1'],
    ['LIMIT_HARD_FACTOR', '0'],
    ['REDIS_URL', 'http://127.0.0.1:6379'],
    ['MAX_CALLS_IN_FLIGHT', '65'],
  ])('are found in %s=%s', (name, value) => {
    expect(namedFor({ ...MINIMUM, [name]: value })).toEqual([name])
  })
})

describe('The secret', () => {
  it('may be in a file, whose end of line does not count', async () => {
    const file = join(folder, 'secret')
    await writeFile(file, 'a secret from a file\n')
    expect(readConfig({ ISSUER: MINIMUM.ISSUER, CLIENT_SECRET_FILE: file }).clientSecret).toBe(
      'a secret from a file',
    )
  })

  it('in a file that is empty or short is a fault of the secret', async () => {
    const file = join(folder, 'empty')
    await writeFile(file, '\n')
    expect(namedFor({ ISSUER: MINIMUM.ISSUER, CLIENT_SECRET_FILE: file })).toEqual(['CLIENT_SECRET'])
  })

  it('in a file that is not there is a fault among the others', () => {
    const faults = namedFor({ PORT: 'abc', CLIENT_SECRET_FILE: join(folder, 'nothing') })
    expect(faults).toEqual(expect.arrayContaining(['CLIENT_SECRET_FILE', 'PORT', 'ISSUER']))
  })
})
