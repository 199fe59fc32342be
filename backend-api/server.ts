// The HTTP server around the app: how it listens, and how it ends without dropping a request.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

// Longer than callers keep an idle connection, or they would write into one that is just closing.
const KEEP_ALIVE_MS = 65_000
const HEADERS_MS = 20_000
const REQUEST_MS = 60_000

/** Resolves with the server and the port it got; fails with Node's error (EADDRINUSE, EACCES, ...). */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
): Promise<{ server: Server; port: number }> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    handler,
  )
  server.listen(port, host)
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Takes no new connections and waits for the requests in flight, at most `graceMs`; then cuts what is left. */
export async function drain(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections()
  }, graceMs)
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await closed
  clearTimeout(timer)
}
