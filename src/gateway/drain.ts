// Graceful shutdown of an HTTP server: nothing new comes in, what is in flight ends well, and the wait has a bound.
import type { Server } from 'node:http'

const GRACE_MS = 10_000

/**
 * Closes the server and resolves when its last connection is gone, at the latest after ten seconds.
 * Answers that are still being written carry `Connection: close`, or a kept-alive socket would hold the close up.
 */
export async function drain(server: Server): Promise<void> {
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve()
    }),
  )
  server.closeIdleConnections()
  const sweep = setInterval(() => {
    server.closeIdleConnections()
  }, 100)
  const grace = setTimeout(() => {
    server.closeAllConnections()
  }, GRACE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(grace)
}
