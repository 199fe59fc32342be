// docker-compose.yml as docker-compose reads it: hardened, without secrets, and with configurations that fit together.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig as readServiceConfig } from '../../backend-api/config.ts'
import { lineageOf, parseDockerfile } from '../../scripts/images/dockerfile.ts'
import { placeSecrets } from '../../scripts/place-secrets.ts'
import { readConfig as readGatewayConfig } from '../../src/config.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Service {
  readonly image?: string
  readonly build?: { readonly target: string }
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly stop_grace_period?: string
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
  readonly ports?: readonly string[]
  readonly healthcheck?: unknown
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
}

let services: Readonly<Record<string, Service>>
let folder: string
const serviceOf = (name: string): Service => services[name] ?? {}
/** Names and definitions of the services that lack what they should have. */
const those = (lack: (service: Service, name: string) => boolean) =>
  Object.entries(services).flatMap(([name, service]) => (lack(service, name) ? [name] : []))

beforeAll(async () => {
  const { stdout } = await run('docker-compose', ['config'], { cwd: ROOT })
  services = (parse(stdout) as { services: typeof services }).services
  folder = await mkdtemp(join(tmpdir(), 'volumes-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('Every service', () => {
  it('is one of the six that are meant', () => {
    const names = ['backend-api', 'gateway', 'grafana', 'prometheus', 'redis', 'setup']
    expect(Object.keys(services).sort()).toEqual(names)
  })

  it('runs as a user by number that is not root', () => {
    expect(those(({ user }) => !/^[1-9]\d*:\d+$/.test(user ?? ''))).toEqual([])
  })

  it('has a root file system that cannot be written, no capabilities, and no way to get any', () => {
    expect(those(({ read_only }) => read_only !== true)).toEqual([])
    expect(those(({ cap_drop }) => cap_drop?.join() !== 'ALL')).toEqual([])
    expect(those(({ security_opt }) => security_opt?.join() !== 'no-new-privileges:true')).toEqual([])
  })

  it('keeps a bounded log', () => {
    expect(those(({ logging }) => !/^\d+m$/.test(logging?.options?.['max-size'] ?? ''))).toEqual([])
    expect(those(({ logging }) => !(Number(logging?.options?.['max-file']) < 10))).toEqual([])
  })

  it('has a limit of memory, and longer to stop than a drain takes', () => {
    expect(those(({ mem_limit }) => mem_limit === undefined)).toEqual([])
    expect(those(({ stop_grace_period }) => Number.parseInt(stop_grace_period ?? '0') <= 10)).toEqual([])
  })

  it('is built here from a target that exists, or of an image with a full version', async () => {
    const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))
    const built = those(({ build }) => build !== undefined)
    expect(
      built.filter((name) => lineageOf(stages, serviceOf(name).build?.target ?? '').length === 0),
    ).toEqual([])
    expect(
      those(({ image }, name) => !built.includes(name) && !/:v?\d+\.\d+\.\d+/.test(image ?? '')),
    ).toEqual([])
  })

  it('publishes on loopback only, and never metrics', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports)
    expect(published.sort()).toEqual([3000, 8080, 8081, 9090].map((port) => `127.0.0.1:${port}:${port}/tcp`))
  })

  it('waits until those that it needs are healthy, or done', async () => {
    const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))
    const checked = (name: string) =>
      serviceOf(name).healthcheck !== undefined ||
      lineageOf(stages, serviceOf(name).build?.target ?? '').some(({ steps }) =>
        steps.some(({ instruction, text }) => instruction === 'HEALTHCHECK' && text !== 'NONE'),
      )
    const waits = Object.values(services).flatMap(({ depends_on = {} }) => Object.entries(depends_on))
    expect(waits).toHaveLength(7)
    for (const [needed, { condition }] of waits) {
      const expected = needed === 'setup' ? 'service_completed_successfully' : 'service_healthy'
      expect(`${needed} ${condition}`).toBe(`${needed} ${expected}`)
    }
    expect(those((_service, name) => name !== 'setup' && !checked(name))).toEqual([])
  })
})

describe('Secrets', () => {
  it('are named in the environment by their files only', () => {
    const named = Object.values(services).flatMap(({ environment = {} }) => Object.entries(environment))
    const secret = named.filter(([name]) => /SECRET|PASSWORD|_KEYS?\b|_KEYS?_|TOKEN/.test(name))
    expect(secret.length).toBeGreaterThan(4)
    expect(
      secret.filter(([name, value]) => !name.endsWith('_FILE') || !value.startsWith('/secrets/')),
    ).toEqual([])
  })

  it('are mounted where they are made and, to be read, where they are used', () => {
    const mounts = Object.entries(services).flatMap(([name, { volumes = [] }]) =>
      volumes.filter((volume) => volume.includes('-secrets:')).map((volume) => `${name} ${volume}`),
    )
    expect(mounts.sort()).toEqual([
      'backend-api backend-api-secrets:/secrets/backend-api:ro',
      'gateway gateway-secrets:/secrets/gateway:ro',
      'grafana grafana-secrets:/secrets/grafana:ro',
      'setup backend-api-secrets:/secrets/backend-api:rw',
      'setup gateway-secrets:/secrets/gateway:rw',
      'setup grafana-secrets:/secrets/grafana:rw',
    ])
  })
})

describe('With the volumes prepared', () => {
  /** As in the container, with the files where this test has them. */
  const environmentOf = (name: string) =>
    Object.fromEntries(
      Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [
        key,
        value.replace(/^\/secrets/, folder),
      ]),
    )
  const secretsOf = (name: string) =>
    Object.entries(environmentOf(name)).flatMap(([key, value]) =>
      key.endsWith('_FILE') && value.startsWith(folder) ? [value] : [],
    )
  beforeAll(async () => {
    // As the mount points of the volumes.
    for (const name of ['backend-api', 'gateway', 'grafana']) await mkdir(join(folder, name))
    await placeSecrets(folder)
  })

  it('both processes accept their environment, and mean the same by it', () => {
    const gateway = readGatewayConfig(environmentOf('gateway'))
    const service = readServiceConfig(environmentOf('backend-api'))
    if (!service.ok) throw new Error(service.faults.join('\n'))
    const { issuer, audience, identity } = service.config
    expect(gateway).toMatchObject({
      issuer,
      backendAudience: audience,
      clientSecret: identity?.gatewaySecret,
    })
    expect(gateway.publicUrls.map(String)).toEqual(identity?.gatewayAudiences)
    expect(gateway.issuerBackchannel).toBe(gateway.backendUrl.origin)
  })

  it.each([
    ['gateway', 'src/config.ts'],
    ['backend-api', 'backend-api/config.ts'],
  ])('%s is given no variable that it does not know', async (name, file) => {
    const source = await readFile(join(ROOT, file), 'utf8')
    const known = [...source.matchAll(/^ +([A-Z_]+):/gm)].map(([, variable]) => variable)
    const given = Object.keys(environmentOf(name)).map((variable) =>
      variable.replace(/(?<!AUDIT|POLICY)_FILE$/, ''),
    )
    expect(given.length).toBeGreaterThan(5)
    expect(given.filter((variable) => !known.includes(variable))).toEqual([])
  })

  it('secrets can be read by their owner only', async () => {
    const files = [...secretsOf('backend-api'), ...secretsOf('gateway'), ...secretsOf('grafana')]
    expect(files).toHaveLength(5)
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o400)
  })

  it('a second run keeps what the first one made', async () => {
    const files = [...secretsOf('backend-api'), ...secretsOf('gateway'), ...secretsOf('grafana')]
    const made = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    await placeSecrets(folder)
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(made)
  })
})
