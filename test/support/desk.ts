// The whole desk as an operator runs it: service, issuer and gateway as processes of their own, on free ports.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PEOPLE } from '../../backend-api/seed/people.ts'
import { seedDesk } from '../../backend-api/seed/seed.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'
import { givePassword } from '../../scripts/give-password.ts'
import { localEnvironment, type LocalEnvironment } from '../../scripts/local-environment.ts'
import { programOf } from './compiled.ts'
import { CHEAP } from './identity.ts'
import { keepLog } from './kept-logs.ts'
import { signIn } from './sign-in.ts'

const PROJECT = join(import.meta.dirname, '../..')
const READY_WITHIN_MS = 20_000

export interface Desk {
  readonly environment: LocalEnvironment
  /** The MCP endpoint. */
  readonly url: string
  readonly service: Process
  readonly gateway: Process
  /** A token for the gateway, or with `resource` for that. */
  readonly token: (person: string, options?: { resource?: string; scope?: string }) => Promise<string>
  close(): Promise<void>
}

export interface Process {
  /** What it wrote to stderr so far. */
  readonly logged: () => string
  readonly pid: () => number
  kill(signal: NodeJS.Signals): Promise<number | null>
  start(): Promise<void>
}

export interface DeskOptions {
  /** 0 for a desk that knows its people and has no tickets. */
  readonly tickets?: number
  readonly logLevel?: string
  /** As in production: answers are not checked against the contract. */
  readonly production?: boolean
  /** Variables for the service that differ from the usual ones. */
  readonly service?: Record<string, string>
  /** Variables for the gateway that differ from the usual ones. */
  readonly gateway?: (environment: LocalEnvironment) => Record<string, string>
}

export async function startDesk(options: DeskOptions = {}): Promise<Desk> {
  const { tickets = 0, logLevel = 'debug', production = false, service: more, gateway } = options
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const environment = await localEnvironment(folder, {
    SERVICE_PORT: String(await freePort()),
    GATEWAY_PORT: String(await freePort()),
    LOG_LEVEL: logLevel,
  })
  const store = await openSqliteStore(environment.databasePath)
  if (tickets > 0) await seedDesk(store, { tickets, seed: 1 })
  else await store.load(PEOPLE, [], 'test')
  await givePassword(store.identity, environment.password, CHEAP)
  await store.close()

  const service = process(
    'backend-api/main.ts',
    { ...environment.service, VALIDATE_RESPONSES: String(!production), ...more },
    new URL('/readyz', environment.serviceUrl),
  )
  const front = process(
    'src/main.ts',
    { ...environment.gateway, ...gateway?.(environment) },
    new URL('/healthz', environment.mcpUrl),
  )
  await Promise.all([service.start(), front.start()])
  return {
    environment,
    url: environment.mcpUrl,
    service,
    gateway: front,
    token: async (person, { resource = environment.mcpUrl, scope } = {}) => {
      const { issuer, password } = environment
      const signedIn = await signIn({
        issuer,
        resource,
        person,
        password,
        ...(scope !== undefined && { scope }),
      })
      return signedIn.accessToken
    },
    async close() {
      await Promise.all([front.kill('SIGKILL'), service.kill('SIGKILL')])
      await rm(folder, { recursive: true })
    },
  }
}

/** A process of the desk, not started yet; `health` answers when it is up. */
export function process(file: string, variables: Readonly<Record<string, string>>, health: URL): Process {
  const lines: string[] = []
  let child: ChildProcess | undefined
  return {
    logged: () => lines.join(''),
    pid: () => child?.pid ?? 0,
    async kill(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return null
      const ended = once(child, 'exit') as Promise<[number | null]>
      child.kill(signal)
      return (await ended)[0]
    },
    async start() {
      child = spawn(globalThis.process.execPath, programOf(file), {
        cwd: PROJECT,
        env: { PATH: globalThis.process.env['PATH'], ...variables },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        lines.push(text)
        keepLog(text)
      })
      const deadline = performance.now() + READY_WITHIN_MS
      while (performance.now() < deadline && child.exitCode === null) {
        const response = await fetch(health).catch(() => undefined)
        await response?.body?.cancel()
        if (response?.ok) return
        await sleep(50)
      }
      throw new Error(`${file} did not start:\n${lines.join('')}`)
    },
  }
}

/** A port that nothing listens on just now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
