import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localEnvironment } from '../../scripts/local-environment.ts'

let root: string
let folder: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'desk-environment-'))
  folder = join(root, '.local')
})
afterEach(() => rm(root, { recursive: true }))

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('the local environment', () => {
  it('is made once and then kept', async () => {
    const first = await localEnvironment(folder, {})
    expect(await localEnvironment(folder, {})).toEqual(first)
    expect(first.password.length).toBeGreaterThanOrEqual(12)
    expect(first.service['CURSOR_SECRET']?.length).toBeGreaterThanOrEqual(32)
    expect(first.service['IDENTITY_GATEWAY_SECRET']).toBe(first.gateway['CLIENT_SECRET'])
  })

  it('is readable for its owner only', async () => {
    await localEnvironment(folder, {})
    expect(await modeOf(folder)).toBe(0o700)
    expect(await modeOf(join(folder, 'environment.json'))).toBe(0o600)
  })

  it('is one and the same for commands that start at once, and leaves no drafts', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => localEnvironment(folder, {})))
    expect(new Set(made.map(({ password }) => password)).size).toBe(1)
    expect(await readdir(folder)).toEqual(['environment.json'])
  })

  it('differs from folder to folder', async () => {
    const other = await localEnvironment(join(root, 'other'), {})
    expect((await localEnvironment(folder, {})).password).not.toBe(other.password)
  })

  it('follows GATEWAY_PORT and SERVICE_PORT in every URL', async () => {
    const moved = await localEnvironment(folder, { GATEWAY_PORT: '18080', SERVICE_PORT: '18081' })
    expect(moved).toMatchObject({
      issuer: 'http://127.0.0.1:18081/identity',
      serviceUrl: 'http://127.0.0.1:18081/v1',
      mcpUrl: 'http://127.0.0.1:18080/mcp',
      portVariables: 'SERVICE_PORT=18081 GATEWAY_PORT=18080 ',
    })
    expect(JSON.stringify(moved)).not.toMatch(/:808[01]\b/)
  })

  it('refuses a port that is none, by the name of its variable', async () => {
    await expect(localEnvironment(folder, { GATEWAY_PORT: '0' })).rejects.toThrow('GATEWAY_PORT is "0"')
  })

  it('says what to do about a file that it cannot use', async () => {
    await localEnvironment(folder, {})
    await writeFile(join(folder, 'environment.json'), '{}')
    await expect(localEnvironment(folder, {})).rejects.toThrow(/environment\.json .*delete it/)
  })
})
