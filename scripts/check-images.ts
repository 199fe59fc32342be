// `npm run check:images`: builds the images and runs them as docker-compose.yml says, without a container engine. Takes
// Linux, root, a C++ compiler and minutes; the mounts are gone when it ends.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { createBuilder, megabytesOf, type Image } from './images/build.ts'
import { mountVolumes, startContainer, type Container } from './images/container.ts'
import { parseDockerfile } from './images/dockerfile.ts'
import { makeWorkspace, removeWorkspace } from './images/mounts.ts'
import { signIn } from './sign-in.ts'

const PROJECT = join(import.meta.dirname, '..')
const HEALTHY_WITHIN_MS = 60_000

interface Service {
  readonly user: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
}

const stages = parseDockerfile(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'))
const { services } = parse(readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>
}
const workspace = makeWorkspace()
const images = createBuilder(stages, { context: PROJECT, workspace, node: fetchNode() })
const mounted = new Map<string, Image>()
const started: Container[] = []
const ports = {
  8080: await freePort(),
  8081: await freePort(),
  9464: await freePort(),
  9465: await freePort(),
}

async function check(): Promise<void> {
  for (const name of ['setup', 'setup']) expect(`${name} ends well`, await launch(name).ended, 0)
  const service = await healthy('backend-api')
  const gateway = await healthy('gateway')
  for (const [name, container] of Object.entries({ service, gateway })) {
    expect(`${name} cannot write to its program`, container.execute(['touch', 'x']) !== 0, true)
    expect(`${name} can write to its volume`, container.execute(['touch', '/data/x']), 0)
  }
  expect('the gateway has no SQLite', gateway.execute(['test', '-e', 'node_modules/better-sqlite3']), 1)
  expect('a call finds tickets', await call(), true)
  for (const port of [ports[9464], ports[9465]])
    expect('metrics are served', (await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200)
  for (const [name, container] of Object.entries({ gateway, service })) {
    say(`${name}: ${Math.round(container.memory())} MB of memory`)
    const from = performance.now()
    expect(`${name} ends well on SIGTERM`, await container.stop(), 0)
    say(`${name}: ended in ${Math.round(performance.now() - from)} ms`)
  }
}

/** The Node that the Dockerfile names, program and headers, from the package registry. */
function fetchNode(): string {
  const version = stages[0]?.from.split(':')[1] ?? ''
  const folder = join(workspace, 'node')
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...options, `node-linux-${process.arch}@${version}`], {
    stdio: ['ignore', process.stderr, process.stderr],
  })
  return join(folder, `node_modules/node-linux-${process.arch}`)
}

function launch(name: string): Container {
  const { user, environment = {}, volumes } = services[name] ?? { user: '', volumes: [] }
  const image = mounted.get(name) ?? images.imageOf(name)
  if (!mounted.has(name)) {
    say(`${name}: ${megabytesOf(image)} MB of program`)
    mountVolumes(image, volumes, workspace)
    mounted.set(name, image)
  }
  const container = startContainer(image, {
    user,
    environment: moved({ PORT: portOf(name), ...environment }),
  })
  started.push(container)
  return container
}

const portOf = (name: string) => (name === 'gateway' ? '8080' : '8081')

/** Other ports than the usual ones, which may be in use here. */
function moved(environment: Readonly<Record<string, string>>): Record<string, string> {
  const moving = new RegExp(`\\b(${Object.keys(ports).join('|')})\\b`, 'g')
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(moving, (port) => String(ports[Number(port) as keyof typeof ports])),
    ]),
  )
}

async function healthy(name: string): Promise<Container> {
  const from = performance.now()
  const container = launch(name)
  const died = container.ended.then((code) => {
    throw new Error(`${name} ended with ${String(code)}.`)
  })
  died.catch(() => undefined)
  while (container.health() !== 0) {
    if (performance.now() - from > HEALTHY_WITHIN_MS) throw new Error(`${name} did not become healthy.`)
    await Promise.race([sleep(100), died])
  }
  say(`${name}: healthy after ${Math.round(performance.now() - from)} ms`)
  return container
}

/** Whether alice, who signs in as a browser would, finds a ticket through the gateway. */
async function call(): Promise<boolean> {
  const password = readFileSync(
    join(workspace, 'volumes/backend-api-secrets/IDENTITY_PASSWORD'),
    'utf8',
  ).trim()
  const issuer = `http://127.0.0.1:${ports[8081]}/identity`
  const url = `http://127.0.0.1:${ports[8080]}/mcp`
  const { accessToken } = await signIn({ issuer, resource: url, person: 'alice', password })
  const params = { name: 'acme_desk__tickets_search', arguments: { query: 'printer' } }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return (await response.text()).includes('"tickets":[{')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

function expect(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`Wrong: ${what} (${String(found)}).`)
  say(`${what}: yes`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await check()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await Promise.all(started.map((container) => container.stop()))
  removeWorkspace(workspace)
}
