import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAdminHandler } from '../../backend-api/telemetry/admin.ts'
import { createAdminServer } from '../../src/admin.ts'
import type { MetricsRegistry } from '../../src/telemetry/instruments.ts'
import { freePort, process as processOf } from '../support/desk.ts'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { sendBytes } from '../support/raw-http.ts'

/** Nothing listens there, and nothing is asked before a call comes. */
const NOWHERE = { issuer: 'http://127.0.0.1:9/identity', backend: 'http://127.0.0.1:9/v1' }

let gateway: GatewayProcess
let port: number
beforeAll(async () => {
  port = await freePort()
  gateway = await startGatewayProcess(NOWHERE, { ADMIN_PORT: String(port) })
})
afterAll(() => gateway.kill('SIGKILL'))

describe('the admin port', () => {
  it('serves the metrics in the OpenMetrics format', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics?from=test`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
    const text = await response.text()
    expect(text).toMatch(/^# TYPE desk_gateway_failures counter$/m)
    expect(text.endsWith('# EOF\n')).toBe(true)
  })

  it.each(['/', '/metrics/', '/healthz', '/mcp'])('has nothing at %s', async (path) => {
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404)
  })

  it('can be read only', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })

  it('lets nobody hold one of its few connections with a request that does not end', async () => {
    const started = performance.now()
    const slow = connect(port, '127.0.0.1').on('error', () => undefined)
    slow.write('GET /metrics HTTP/1.1\r\nHost:')
    slow.resume()
    await once(slow, 'close')
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('is on loopback unless ADMIN_HOST says otherwise', async () => {
    // The whole of 127.0.0.0/8 reaches a server that listens everywhere, and none that listens on 127.0.0.1.
    await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow()
  })
})

describe.each([
  ['gateway', (registry: MetricsRegistry) => createAdminServer(registry, () => undefined)],
  ['service', (registry: MetricsRegistry) => createHttpServer(createAdminHandler(registry, () => undefined))],
])('the admin port of the %s', (_name, serve) => {
  it('reads the metrics once for all who ask meanwhile, on one connection too', async () => {
    const registry: MetricsRegistry = new Registry()
    const read = vi.spyOn(registry, 'metrics')
    const server = serve(registry).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const request = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
    const last = request.replace('Host', 'Connection: close\r\nHost')
    const answers = await sendBytes(origin, request.repeat(50) + last)
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(51)
    expect(read).toHaveBeenCalledTimes(1)
    await (await fetch(`${origin}/metrics`)).text()
    expect(read).toHaveBeenCalledTimes(2)
  })
})

describe('a gateway that cannot have its admin port does not start and names the variable', () => {
  const start = async (variables: Record<string, string>) => {
    const [gatewayPort, adminPort] = [await freePort(), await freePort()]
    const front = processOf(
      'src/main.ts',
      {
        PORT: String(gatewayPort),
        ADMIN_PORT: String(adminPort),
        ISSUER: NOWHERE.issuer,
        CLIENT_SECRET: 'x'.repeat(32),
        ...variables,
      },
      new URL('http://127.0.0.1:9/never-up'),
    )
    return front.start()
  }

  it('ADMIN_PORT when it is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await expect(start({ ADMIN_PORT: String(port) })).rejects.toThrow(/ADMIN_PORT: .*it is taken/)
    taken.close()
  })

  it('ADMIN_HOST when it is no address of this machine', async () => {
    await expect(start({ ADMIN_HOST: '192.0.2.1' })).rejects.toThrow(/ADMIN_HOST: cannot listen/)
  })
})
