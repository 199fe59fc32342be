// A desk that is well is found well, and each fault of it is found and comes with what to do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../scripts/doctor/diagnose.ts'
import { freePort, startDesk, type Desk } from '../support/desk.ts'
import { containing, examined } from './examined.ts'

const ROOT = join(import.meta.dirname, '../..')
const OTHER_SECRET = 'a secret that nobody else knows'

let desk: Desk
let folder: string
let unused: number
let variables: Record<string, string>
let token: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  unused = await freePort()
  const more = { ADMIN_PORT: String(await freePort()), AUDIT_FILE: join(folder, 'audit.jsonl') }
  desk = await startDesk({ gateway: () => more })
  variables = { ...desk.environment.gateway, ...more }
  token = await desk.token('alice')
})
afterAll(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

const withToken = { personToken: () => Promise.resolve(token) }
const nowhere = () => `http://127.0.0.1:${unused}`

describe('A desk that is well', () => {
  it('is found well in every part', async () => {
    const from = { from: 'the test', variables, ...withToken }
    const reports = await diagnose(from, Date.now)
    const states = Object.fromEntries(reports.map(({ check, finding }) => [check, finding.state]))
    expect(states, JSON.stringify(reports)).toEqual({
      configuration: 'ok',
      issuer: 'ok',
      keys: 'ok',
      client: 'ok',
      person: 'ok',
      'ticket service': 'ok',
      contract: 'ok',
      catalogue: 'ok',
      redis: 'skipped',
      clock: 'ok',
      gateway: 'ok',
      'admin port': 'ok',
      audit: 'ok',
    })
  })

  it('is found by itself where it is the local one, with exit 0, one line a check and no secret', async () => {
    const { servicePort, gatewayPort, databasePath, password } = desk.environment
    await symlink(dirname(databasePath), join(folder, '.local'))
    const ports = { SERVICE_PORT: String(servicePort), GATEWAY_PORT: String(gatewayPort) }
    const admin = { ADMIN_PORT: variables['ADMIN_PORT'] ?? '' }
    const { code, out } = await runDoctor({ ...ports, ...admin })
    expect(code, out).toBe(0)
    expect(out).toMatch(/^ok {7}configuration: of the local desk in \.local, without a fault\n/)
    expect(out).toMatch(/^ok {7}person: /m)
    expect(out.trimEnd().split('\n')).toHaveLength(13)
    for (const secret of [password, variables['CLIENT_SECRET'] ?? '']) expect(out).not.toContain(secret)
  })
})

describe('A desk that is not well', () => {
  it('makes the doctor exit 1 and say so as JSON, without the secrets', async () => {
    const { code, out } = await runDoctor(
      { ...variables, CLIENT_SECRET: OTHER_SECRET, ACCESS_TOKEN: token },
      '--json',
    )
    expect(code).toBe(1)
    const report = JSON.parse(out) as { ok: boolean; findings: { check: string; state: string }[] }
    expect(report.ok).toBe(false)
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        check: 'client',
        state: 'wrong',
        mend: containing('CLIENT_SECRET'),
      }),
    )
    for (const secret of [OTHER_SECRET, token]) expect(out).not.toContain(secret)
  })

  it('with faults in its variables has each of them named, and nothing else asked', async () => {
    const broken = { ...variables, PORT: 'eighty', CLIENT_SECRET: 'short', REDIS_URL: 'http://redis' }
    const reports = await diagnose({ from: 'the test', variables: broken, personToken: undefined }, Date.now)
    const faults = reports.map(({ check, finding }) => `${check} ${finding.state} ${finding.detail}`)
    expect(faults).toEqual([
      expect.stringMatching(/^configuration wrong PORT: must be a whole number/),
      expect.stringMatching(/^configuration wrong CLIENT_SECRET: must have at least 16/),
      expect.stringMatching(/^configuration wrong REDIS_URL: must be a redis/),
    ])
    expect(faults.join()).not.toContain('short')
  })

  it.each([
    ['NAMESPACE', { NAMESPACE: 'a_namespace_that_is_far_too_long_for_it' }],
    ['CLIENT_POLICY_FILE', { CLIENT_POLICY_FILE: '/nowhere/policy.json' }],
  ])('with a %s that stops the start has it named', async (name, change) => {
    const examinedEnvironment = {
      from: 'the test',
      variables: { ...variables, ...change },
      personToken: undefined,
    }
    const [report] = await diagnose(examinedEnvironment, Date.now)
    expect(report).toMatchObject({ check: 'configuration', finding: { state: 'wrong' } })
    expect(report?.finding.detail).toContain(name)
  })

  it('with a wrong secret is told which variables to correct', async () => {
    const found = await examined({ ...variables, CLIENT_SECRET: OTHER_SECRET }, withToken)
    expect(found['client']).toMatchObject({ state: 'wrong', mend: containing('CLIENT_SECRET') })
    expect(found['person']).toMatchObject({
      state: 'wrong',
      detail: containing('invalid_client'),
    })
    expect(found['issuer']).toMatchObject({ state: 'ok' })
  })

  it('with an issuer that calls itself otherwise is told its name', async () => {
    const found = await examined({ ...variables, ISSUER: `${desk.environment.issuer}/` })
    expect(found['issuer']).toMatchObject({
      state: 'wrong',
      detail: containing('another issuer'),
    })
    expect(found['issuer']?.detail).toContain(`"${desk.environment.issuer}"`)
    expect(found['gateway']).toMatchObject({
      state: 'wrong',
      detail: containing('sends clients to'),
    })
  })

  it('with an issuer that is not there is told so once, and the rest is skipped', async () => {
    const found = await examined({ ...variables, ISSUER: `${nowhere()}/identity` }, withToken)
    expect(found['issuer']).toMatchObject({
      state: 'wrong',
      detail: containing('cannot be reached'),
    })
    for (const check of ['keys', 'client', 'person']) expect(found[check]).toMatchObject({ state: 'skipped' })
  })

  it('with something else in the place of its issuer is told so', async () => {
    const found = await examined({ ...variables, ISSUER: desk.environment.serviceUrl })
    expect(found['issuer']).toMatchObject({
      state: 'wrong',
      detail: containing('not with the metadata'),
    })
  })

  it('with an audience that the issuer does not know is told which', async () => {
    const found = await examined({ ...variables, BACKEND_AUDIENCE: 'https://other.example/v1' })
    expect(found['client']).toMatchObject({
      state: 'wrong',
      mend: containing('BACKEND_AUDIENCE'),
    })
  })

  it('with a token for something else is told what does not fit', async () => {
    const other = await desk.token('alice', { resource: desk.environment.serviceUrl })
    const found = await examined(variables, { personToken: () => Promise.resolve(other) })
    expect(found['person']).toMatchObject({ state: 'wrong', mend: containing('PUBLIC_URL') })
    expect(found['person']?.detail).toContain("token's aud is not the one expected")
  })

  it('without its ticket service is told so, and the contract is skipped', async () => {
    const audience = { BACKEND_AUDIENCE: desk.environment.serviceUrl }
    const found = await examined({ ...variables, ...audience, BACKEND_URL: `${nowhere()}/v1` }, withToken)
    expect(found['ticket service']).toMatchObject({
      state: 'wrong',
      detail: containing('nothing listens there'),
    })
    expect(found['contract']).toMatchObject({ state: 'skipped' })
    expect(found['person']).toMatchObject({ state: 'wrong', detail: containing('no answer') })
  })

  it('with a service URL that lacks its version is told how it ends', async () => {
    const found = await examined({ ...variables, BACKEND_URL: new URL(desk.environment.serviceUrl).origin })
    expect(found['contract']).toMatchObject({ state: 'wrong', mend: containing('/v1') })
  })

  it('with a clock a minute ahead is told by how much, and five seconds are borne', async () => {
    const ahead = await examined(variables, { now: () => Date.now() + 60_000 })
    expect(ahead['clock']).toMatchObject({ state: 'wrong', mend: containing('NTP') })
    expect(ahead['clock']?.detail).toMatch(/the issuer is (59|60) seconds behind this machine/)
    const little = await examined(variables, { now: () => Date.now() + 4_000 })
    expect(little['clock']).toMatchObject({ state: 'ok' })
  })

  it('without its Redis is told what that means, and the password stays out of it', async () => {
    const found = await examined({ ...variables, REDIS_URL: `redis://:pass-word@127.0.0.1:${unused}` })
    expect(found['redis']).toMatchObject({ state: 'wrong', mend: containing('counts alone') })
    expect(JSON.stringify(found)).not.toContain('pass-word')
  })

  it('whose gateway does not run has that skipped', async () => {
    const found = await examined({ ...variables, PUBLIC_URL: `${nowhere()}/mcp`, ADMIN_PORT: String(unused) })
    expect(found['gateway']).toMatchObject({ state: 'skipped' })
    expect(found['admin port']).toMatchObject({ state: 'skipped' })
  })

  it('whose gateway runs without the metrics that were asked for is told so', async () => {
    const found = await examined({ ...variables, ADMIN_PORT: String(unused) })
    expect(found['admin port']).toMatchObject({ state: 'wrong', mend: containing('ADMIN_PORT') })
  })

  it.each([
    ['in a folder that is not there', () => join(folder, 'nowhere', 'audit.jsonl')],
    ['that is a folder', () => folder],
  ])('with an audit file %s is told so', async (_where, file) => {
    const found = await examined({ ...variables, AUDIT_FILE: file() })
    expect(found['audit']).toMatchObject({ state: 'wrong' })
  })
})

async function runDoctor(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ code: number | null; out: string }> {
  const loader = import.meta.resolve('tsx')
  const child = spawn(process.execPath, ['--import', loader, join(ROOT, 'scripts/doctor.ts'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [out, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { code, out }
}
