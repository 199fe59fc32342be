import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const script = (name: string): string[] => [
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url)),
]

let folder: string
let env: NodeJS.ProcessEnv
let desk: ChildProcess
let printed = ''
let logged = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-start-'))
  env = { ...process.env, SERVICE_PORT: await freePort(), GATEWAY_PORT: await freePort(), LOG_LEVEL: 'info' }
  desk = spawn(process.execPath, script('start.ts'), {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  desk.stderr?.setEncoding('utf8').on('data', (text: string) => (logged += text))
  await new Promise<void>((resolve, reject) => {
    desk.once('exit', () => {
      reject(new Error('npm start ended before it was ready.'))
    })
    desk.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('What to try next')) resolve()
    })
  })
})
afterAll(async () => {
  // Not SIGKILL: its two processes would live on without it.
  if (desk.exitCode === null && desk.kill('SIGTERM')) await once(desk, 'exit')
  await rm(folder, { recursive: true })
})

describe('npm start', () => {
  it('prints where everything is and a token for carol, alice and dave', () => {
    expect(printed).toContain(`http://127.0.0.1:${env['GATEWAY_PORT'] ?? ''}/mcp`)
    expect(printed).toContain(`http://127.0.0.1:${env['SERVICE_PORT'] ?? ''}/v1`)
    expect(printed.match(/^ {2}(carol|alice|dave) \(.+\)\n {2}eyJ[\w.-]+$/gm)).toHaveLength(3)
  })

  it('prints commands that find the ports it was given', () => {
    const commands = printed.match(/(\S+ \S+ )?npm run (-s )?(token|doctor)/g) ?? []
    expect(commands).toHaveLength(4)
    const ports = `SERVICE_PORT=${env['SERVICE_PORT'] ?? ''} GATEWAY_PORT=${env['GATEWAY_PORT'] ?? ''} `
    expect(commands.filter((command) => !command.includes(ports))).toEqual([])
  })

  it('says how to see the password, and does not print it', async () => {
    const secrets = await readFile(join(folder, '.local/environment.json'), 'utf8')
    const password = /"IDENTITY_PASSWORD": "([^"]+)"/.exec(secrets)?.[1] ?? ''
    expect(password.length).toBeGreaterThanOrEqual(12)
    expect(printed).toContain('grep PASSWORD .local/environment.json')
    expect(printed).not.toContain(password)
  })

  it('answers the tool call that it prints', async () => {
    const [line = ''] = /^ {2}curl .+$/m.exec(printed) ?? []
    const [token = ''] = /(?<=alice \(support staff\)\n {2})\S+/.exec(printed) ?? []
    const [url = ''] = /http:\S+/.exec(line) ?? []
    const [body = ''] = /(?<=-d ').+(?=')/.exec(line) ?? []
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    }
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/"structuredContent":.*[Pp]rinter/)
  })

  it('refuses to start twice and names the variable to change', async () => {
    await expect(run(process.execPath, script('start.ts'), { cwd: folder, env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Port \d+ is in use; choose another one, e\.g\. SERVICE_PORT=/,
      ) as string,
    })
  })
})

describe('npm run token', () => {
  it('prints a token that the service takes, and nothing else', async () => {
    const { stdout } = await run(process.execPath, [...script('token.ts'), 'dave', '--service'], {
      cwd: folder,
      env,
    })
    expect(stdout).toMatch(/^eyJ[\w.-]+\n$/)
    const url = `http://127.0.0.1:${env['SERVICE_PORT'] ?? ''}/v1/tickets`
    const response = await fetch(url, { headers: { authorization: `Bearer ${stdout.trim()}` } })
    expect(response.status).toBe(200)
  })

  it('names the five people when it does not know the one asked for', async () => {
    const token = run(process.execPath, [...script('token.ts'), 'mallory'], { cwd: folder, env })
    await expect(token).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('alice, bob, carol, dave, erin') as string,
    })
  })
})

it('Ctrl-C, which reaches the whole group, stops both processes with one signal and ends npm start with 0', async () => {
  process.kill(-(desk.pid ?? 0), 'SIGINT')
  expect(await once(desk, 'exit')).toEqual([0, null])
  expect(logged.match(/"signal":"\w+","msg":"stopping"/g)).toEqual(['"signal":"SIGTERM","msg":"stopping"'])
  for (const port of [env['SERVICE_PORT'], env['GATEWAY_PORT']]) {
    await expect(fetch(`http://127.0.0.1:${port ?? ''}/healthz`)).rejects.toThrow()
  }
})

it('npm run token without a service says how to start it', async () => {
  const token = run(process.execPath, [...script('token.ts'), 'alice'], { cwd: folder, env })
  await expect(token).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm start') as string,
  })
})

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
