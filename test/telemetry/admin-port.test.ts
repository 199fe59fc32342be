import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, process as processOf } from '../support/desk.ts'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'

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

  it('is on loopback unless ADMIN_HOST says otherwise', async () => {
    // The whole of 127.0.0.0/8 reaches a server that listens everywhere, and none that listens on 127.0.0.1.
    await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow()
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
