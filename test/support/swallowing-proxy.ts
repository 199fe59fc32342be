// A road to the service on which answers can get lost: what was asked is done, and nobody hears of it.
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SwallowingProxy {
  readonly origin: string
  target: string
  /** While true, requests reach the service and its answers to POST go nowhere. */
  swallow: boolean
  close(): Promise<void>
}

export async function startSwallowingProxy(): Promise<SwallowingProxy> {
  const server: Server = createServer((req, res) => {
    const { method, headers, url = '/' } = req
    const onward = request(new URL(url, proxy.target), { method, headers }, (answer) => {
      if (proxy.swallow && method === 'POST') answer.resume()
      else answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers))
    })
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: SwallowingProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    swallow: false,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
