// Graceful shutdown of an HTTP server: nothing new comes in, what is in flight ends well, and the wait has a bound.
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'

const GRACE_MS = 10_000
/** Time for requests that are on their way, also of a slow client; their answers then say that the connection closes. */
const LULL_MS = 1_000
const SWEEP_MS = 50

export type Drain = () => Promise<void>

/**
 * Prepares a server for its end. The returned function takes no new connections and resolves when the last one is
 * gone, at the latest after ten seconds. Every answer from then on carries `Connection: close`, so that clients leave
 * by themselves: a connection that is closed from here may just have been written to.
 */
export function prepareDrain(server: Server): Drain {
  const answering = new Set<ServerResponse>()
  server.prependListener('request', (_req, res) => {
    answering.add(res)
    res.on('close', () => answering.delete(res))
  })
  return async () => {
    server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
    for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close')
    const closed = new Promise<void>((resolve) => {
      // Not the close of http.Server, which also cuts idle connections at once.
      NetServer.prototype.close.call(server, () => {
        resolve()
      })
    })
    const lull = setTimeout(() => {
      sweep = setInterval(() => {
        server.closeIdleConnections()
      }, SWEEP_MS)
    }, LULL_MS)
    let sweep: NodeJS.Timeout | undefined
    const grace = setTimeout(() => {
      server.closeAllConnections()
    }, GRACE_MS)
    await closed
    clearTimeout(lull)
    clearInterval(sweep)
    clearTimeout(grace)
    server.close()
  }
}
