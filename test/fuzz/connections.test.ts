// Connections that mean harm: slow ones, floods of headers, ten thousand that say nothing. Everybody else is served.
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { GATEWAY, PASSWORD, startIdentity, type RunningIdentity } from '../support/identity.ts'
import { callerOf, type CallTool } from '../support/mcp-calls.ts'
import { sendBytes } from '../support/raw-http.ts'
import {
  json,
  startScriptedBackend,
  TICKET_DETAIL,
  type ScriptedBackend,
} from '../support/scripted-backend.ts'
import { signIn } from '../support/sign-in.ts'

const IDLE_CONNECTIONS = 10_000
const HEADERS_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 15_000
/** The server looks once a second, and the machine may be busy. */
const SLACK_MS = 5_000

let identity: RunningIdentity
let backend: ScriptedBackend
let gateway: GatewayProcess
let call: CallTool
let token: string
beforeAll(async () => {
  identity = await startIdentity()
  backend = await startScriptedBackend()
  backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
  gateway = await startGatewayProcess({ issuer: identity.issuer, backend: backend.url })
  const request = { issuer: identity.issuer, resource: GATEWAY, person: 'alice', password: PASSWORD }
  token = (await signIn(request)).accessToken
  call = callerOf(gateway.url, token)
})
afterAll(async () => {
  await gateway.kill('SIGKILL')
  await backend.close()
  await identity.close()
})

function open(): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

/** Writes the start, then a byte every 100 ms, until the server has enough: how long that took, and what it said. */
async function drip(start: string) {
  const socket = await open()
  const begun = performance.now()
  let said = ''
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()))
  socket.write(start)
  const dripping = setInterval(() => socket.write('a'), 100)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  return { said, ms: performance.now() - begun }
}

const served = async () => {
  const start = performance.now()
  expect((await call('ticket_get', { id: 'T-42' })).isError).toBeUndefined()
  return performance.now() - start
}

describe('A client that sends slowly', () => {
  it.concurrent(
    'its head loses the connection',
    async () => {
      const { said, ms } = await drip('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
      expect(said).toMatch(/^HTTP\/1\.1 408 /)
      expect(ms).toBeLessThan(HEADERS_TIMEOUT_MS + SLACK_MS)
    },
    40_000,
  )

  it.concurrent(
    'its body loses the connection, and nothing was run',
    async () => {
      const { ms } = await drip(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"a":"`,
      )
      expect(ms).toBeLessThan(REQUEST_TIMEOUT_MS + SLACK_MS)
    },
    40_000,
  )
})

describe('A flood of headers', () => {
  it.each([
    ['one that is long', `X-Long: ${'a'.repeat(20_000)}\r\n`],
    ['many that are short', Array.from({ length: 3_000 }, (_, index) => `X-${index}: a\r\n`).join('')],
  ])('%s is refused with 431', async (_what, headers) => {
    const answer = await sendBytes(gateway.url, `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    await served()
  })
})

describe(`${IDLE_CONNECTIONS} connections that say nothing`, () => {
  it('do not keep others from being served, and are closed in time', async () => {
    await served()
    const before = { rss: rssBytes(gateway.pid()), files: filesOf(gateway.pid()) }
    const sockets: Socket[] = []
    let closed = 0
    while (sockets.length < IDLE_CONNECTIONS) {
      const opened = await Promise.all(Array.from({ length: 250 }, open))
      for (const socket of opened) socket.on('error', () => undefined).once('close', () => closed++)
      sockets.push(...opened)
    }
    expect(await served()).toBeLessThan(2_000)
    expect(rssBytes(gateway.pid()) - before.rss).toBeLessThan(200 * 2 ** 20)
    for (const socket of sockets) socket.resume()
    await expect.poll(() => closed, { timeout: HEADERS_TIMEOUT_MS + 3 * SLACK_MS }).toBe(IDLE_CONNECTIONS)
    await sleep(200)
    expect(filesOf(gateway.pid())).toBeLessThan(before.files + 50)
    await served()
  }, 60_000)
})

function rssBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

function filesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
