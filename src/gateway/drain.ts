// Graceful shutdown of an HTTP server: nothing new comes in, what is in flight ends well, and the wait has a bound.
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as endOfTurn } from 'node:timers/promises'

/** As many connections as Node lets wait to be accepted. */
const BACKLOG = 511
const GRACE_MS = 10_000
/** Time for requests that are on their way, also of a slow client; their answers then say that the connection closes. */
const LULL_MS = 1_000
const SWEEP_MS = 50

export type Drain = () => Promise<void>

/**
 * Prepares a server for its end. The returned function takes in what has connected, takes no new connections, and
 * resolves when the last one is gone, some ten seconds later at the latest. Every answer from then on carries
 * `Connection: close`, so that clients leave by themselves: a connection that is closed from here may just have been
 * written to.
 */
export function prepareDrain(server: Server): Drain {
  const answering = new Set<ServerResponse>()
  server.prependListener('request', (_req, res) => {
    answering.add(res)
    res.on('close', () => answering.delete(res))
  })
  return async () => {
    await acceptWaiting(server)
    server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
    for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close')
    const closed = new Promise<void>((resolve) => {
      // Not the close of http.Server, which also cuts idle connections at once.
      NetServer.prototype.close.call(server, () => {
        resolve()
      })
    })
    const lull = setTimeout(() => {
      // At the end of a turn, when what has arrived is read: after a stall the timers come first.
      sweep = setInterval(() => setImmediate(closeIdle), SWEEP_MS)
    }, LULL_MS)
    let sweep: NodeJS.Timeout | undefined
    const closeIdle = () => {
      server.closeIdleConnections()
    }
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

/**
 * The kernel resets connections that wait to be accepted when their listener closes, with the calls they have brought.
 * The event loop accepts one of them a turn, so the queue is empty after a turn that accepts none. Clients are not told
 * to leave before: they would come back into this queue.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  // The rest of this turn may not look at the listener any more.
  await endOfTurn()
  for (let turn = 0; turn < BACKLOG; turn++) {
    const before = accepted
    await endOfTurn()
    if (accepted === before) break
  }
  server.off('connection', count)
}
