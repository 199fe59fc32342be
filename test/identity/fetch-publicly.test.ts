import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPublicFetch } from '../../backend-api/identity/fetch-publicly.ts'

let server: Server
let port: number
let asked = 0
beforeAll(async () => {
  server = createServer((req, res) => {
    asked += 1
    // One path never ends, to be waited for in vain.
    if (req.url !== '/slow') res.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

const anywhere = createPublicFetch({ loopback: false })
const local = createPublicFetch({ loopback: true })

describe('what a stranger names is fetched from the public internet only', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ])('not from this machine as %s', async (host) => {
    const before = asked
    await expect(anywhere(`http://${host}:${port}/`)).rejects.toThrow('not a public one')
    expect(asked).toBe(before)
  })

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '[fe80::1]',
    '[fd00::1]',
    '[64:ff9b::a00:1]',
    '[2002:a00:1::]',
    '[ff02::1]',
  ])('not from %s, on a local desk either', async (host) => {
    await expect(anywhere(`http://${host}/`)).rejects.toThrow('not a public one')
    await expect(local(`http://${host}/`)).rejects.toThrow('not a public one')
  })

  it('from this machine where that is wanted, by address and by name', async () => {
    expect(await local(`http://127.0.0.1:${port}/`)).toEqual({ a: 1 })
    expect(await local(`http://localhost:${port}/`)).toEqual({ a: 1 })
  })

  it('and not from a name that nobody has, which is no reason to end', async () => {
    await expect(anywhere('https://nobody.invalid/client.json')).rejects.toThrow('nobody.invalid')
  })

  it('within three seconds or not at all', async () => {
    const start = performance.now()
    await expect(local(`http://127.0.0.1:${port}/slow`)).rejects.toThrow()
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})
