// Bounds on work at once, so that no client can take all of the gateway and all of them together cannot drown it.
import pLimit, { type LimitFunction } from 'p-limit'
import type { Busy, Enter } from '../../tools/admission.ts'

/** How many may wait for each call that may run. */
const WAITING_PER_SLOT = 16
/** After this a caller is better told to come back. */
const MAX_WAIT_MS = 5_000

export interface BulkheadOptions {
  /** Calls in flight at once, of all clients together. */
  readonly inFlight: number
  readonly inFlightPerClient: number
}

interface Lane {
  readonly limit: LimitFunction
  /** Calls that run or wait. */
  inside: number
}

/**
 * A lane for each client, and behind them the one for all, first come first served. A client that has filled its own
 * lane waits there, where it is in nobody's way.
 */
export function createBulkhead({ inFlight, inFlightPerClient }: BulkheadOptions): Enter {
  const all: Lane = { limit: pLimit(inFlight), inside: 0 }
  const lanes = new Map<string, Lane>()
  const laneOf = (client: string) => {
    const lane = lanes.get(client) ?? { limit: pLimit(inFlightPerClient), inside: 0 }
    lanes.set(client, lane)
    return lane
  }

  return async (client, signal, run) => {
    if (all.inside >= inFlight * (1 + WAITING_PER_SLOT)) return 'overloaded'
    const own = laneOf(client)
    if (own.inside >= inFlightPerClient * (1 + WAITING_PER_SLOT)) return 'client_busy'
    const atOnce = own.inside < inFlightPerClient && all.inside < inFlight
    all.inside++
    own.inside++
    const wait: Wait = { at: 'own lane' }
    const ran = own.limit(() => {
      if (wait.at === 'own lane') wait.at = 'lane of all'
      return all.limit(async () => {
        // Whoever gave up while waiting has been answered already.
        if (wait.at === 'left') return wait.at
        wait.at = 'inside'
        return run()
      })
    })
    const done = ran.finally(() => {
      all.inside--
      if (--own.inside === 0) lanes.delete(client)
    })
    return atOnce ? done : Promise.race([done, giveUp(wait, signal, done)])
  }
}

interface Wait {
  at: 'own lane' | 'lane of all' | 'inside' | 'left'
}

/** Resolves when a wait has lasted too long; never for a call that has got in. */
function giveUp(wait: Wait, signal: AbortSignal, done: Promise<unknown>): Promise<Busy> {
  return new Promise((resolve) => {
    const leave = (busy: Busy) => {
      if (wait.at === 'inside') return
      wait.at = 'left'
      resolve(busy)
    }
    const onAbort = () => {
      leave('left')
    }
    const timer = setTimeout(() => {
      leave(wait.at === 'own lane' ? 'client_busy' : 'overloaded')
    }, MAX_WAIT_MS)
    signal.addEventListener('abort', onAbort)
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    done.then(end, end)
  })
}
