// `npm start`: the whole desk on this machine, with tickets in it, until Ctrl-C.

import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import { fillDesk } from './fill-desk.ts'
import { LOCAL_FOLDER, localEnvironment, type LocalEnvironment } from './local-environment.ts'
import { signIn } from './sign-in.ts'
import { welcome } from './welcome.ts'

const READY_WITHIN_MS = 20_000
const POLL_MS = 50
const GREETED = [
  { person: 'carol', role: 'customer' },
  { person: 'alice', role: 'support staff' },
  { person: 'dave', role: 'administrator' },
]

try {
  process.exit(await run(await localEnvironment(LOCAL_FOLDER, process.env)))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

async function run(environment: LocalEnvironment): Promise<number> {
  await requireFreePort(environment.servicePort, 'SERVICE_PORT')
  await requireFreePort(environment.gatewayPort, 'GATEWAY_PORT')
  await fillDesk(environment.databasePath, environment.password)

  const adminPorts = [await freePort(9464), await freePort(9465)] as const
  const admin = (port: number) => ({ ADMIN_HOST: '127.0.0.1', ADMIN_PORT: String(port) })

  const stopped = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal))).then(
    () => undefined,
  )
  const children = [
    startChild('The ticket service', 'backend-api/main.ts', {
      ...environment.service,
      ...admin(adminPorts[1]),
    }),
    startChild('The gateway', 'src/main.ts', { ...environment.gateway, ...admin(adminPorts[0]) }),
  ]
  try {
    const died = await Promise.race([
      stopped,
      ...children.map(({ ended }) => ended),
      greetWhenReady(environment, adminPorts),
    ])
    if (died !== undefined) say(died)
    return died === undefined ? 0 : 1
  } finally {
    await Promise.all(children.map(({ stop }) => stop()))
  }
}

async function requireFreePort(port: number, variable: string): Promise<void> {
  if (!(await tryPort(port)))
    throw new Error(`Port ${port} is in use; choose another one, e.g. ${variable}=${port + 10_000} npm start`)
}

/** The wished one, or another where that is taken. */
async function freePort(wished: number): Promise<number> {
  const port = (await tryPort(wished)) ?? (await tryPort(0))
  if (port === undefined) throw new Error('There is no free port on 127.0.0.1.')
  return port
}

async function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return undefined
  }
  const { port: found } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return found
}

/** Never resolves: what comes after the greeting is for the signals and the children to say. */
async function greetWhenReady(environment: LocalEnvironment, adminPorts: readonly number[]): Promise<never> {
  const { issuer, mcpUrl, password, serviceUrl } = environment
  const deadline = performance.now() + READY_WITHIN_MS
  await ready(new URL('/readyz', serviceUrl), deadline)
  await ready(new URL('/readyz', mcpUrl), deadline)

  const signedIn = await Promise.all(
    GREETED.map(async ({ person, role }) => ({
      ...(await signIn({ issuer, resource: mcpUrl, person, password })),
      person,
      role,
    })),
  )
  const tokens = signedIn.map(({ person, role, accessToken }) => ({ person, role, token: accessToken }))
  process.stdout.write(welcome(environment, adminPorts, tokens, (signedIn[0]?.expiresIn ?? 0) / 3600))
  return new Promise<never>(() => undefined)
}

async function ready(url: URL, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await sleep(POLL_MS)
  }
  throw new Error(`${url.href} was not ready within ${READY_WITHIN_MS / 1000} seconds; see above for why.`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
