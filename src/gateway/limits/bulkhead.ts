// Bounds on work at once, so that no client can take all of the gateway and all of them together cannot drown it.
import pLimit, { type LimitFunction } from 'p-limit'
import type { Busy, Enter } from '../../tools/admission.ts'

/** How many may wait for each call that may run. */
const WAITING_PER_SLOT = 16
/** After this a caller is better told to come back. */
const MAX_WAIT_MS = 5_000
/** Whoever leaves frees its place at once, but stays in the library's queue until it is its turn: so many entries a place. */
const ENTRIES_PER_PLACE = 2

export interface BulkheadOptions {
  /** Calls in flight at once, of all clients together. */
  readonly inFlight: number
  readonly inFlightPerClient: number
}

export interface Bulkhead {
  readonly enter: Enter
  /** Calls that run and calls that wait just now. */
  readonly inside: () => { readonly running: number; readonly waiting: number }
}

/** Places are taken by calls that run or wait, entries also by those whose caller has left. */
interface Lane {
  readonly limit: LimitFunction
  places: number
  entries: number
}

interface Visit {
  at: 'own lane' | 'lane of all' | 'inside' | 'left'
}

/**
 * A lane for each client, and behind them the one for all, first come first served. A client that has filled its own
 * lane waits there, where it is in nobody's way.
 */
export function createBulkhead({ inFlight, inFlightPerClient }: BulkheadOptions): Bulkhead {
  const places = inFlight * (1 + WAITING_PER_SLOT)
  const placesPerClient = inFlightPerClient * (1 + WAITING_PER_SLOT)
  const all: Lane = { limit: pLimit(inFlight), places: 0, entries: 0 }
  const lanes = new Map<string, Lane>()
  let running = 0

  const laneOf = (client: string) => {
    const lane = lanes.get(client) ?? { limit: pLimit(inFlightPerClient), places: 0, entries: 0 }
    lanes.set(client, lane)
    return lane
  }
  const count = (own: Lane, what: 'places' | 'entries', by: 1 | -1) => {
    all[what] += by
    own[what] += by
  }
  const enter: Enter = async (client, signal, run) => {
    if (signal.aborted) return 'left'
    if (all.places >= places || all.entries >= places * ENTRIES_PER_PLACE) return 'overloaded'
    const own = laneOf(client)
    if (own.places >= placesPerClient || own.entries >= placesPerClient * ENTRIES_PER_PLACE)
      return 'client_busy'
    const atOnce = own.entries < inFlightPerClient && all.entries < inFlight
    count(own, 'places', 1)
    count(own, 'entries', 1)
    const visit: Visit = { at: 'own lane' }
    const leave = () => {
      visit.at = 'left'
      count(own, 'places', -1)
    }
    const ran = own.limit(() => {
      if (visit.at === 'left') return visit.at
      visit.at = 'lane of all'
      return all.limit(async () => {
        // Whoever gave up while waiting has been answered already.
        if (visit.at === 'left') return visit.at
        visit.at = 'inside'
        running++
        try {
          return await run()
        } finally {
          running--
          leave()
        }
      })
    })
    const done = ran.finally(() => {
      count(own, 'entries', -1)
      if (own.entries === 0) lanes.delete(client)
    })
    return atOnce ? done : Promise.race([done, giveUp(visit, signal, done, leave)])
  }
  return { enter, inside: () => ({ running, waiting: all.places - running }) }
}

/** Leaves, and resolves with the reason, when a wait has lasted too long; never for a call that has got in. */
function giveUp(visit: Visit, signal: AbortSignal, done: Promise<unknown>, leave: () => void): Promise<Busy> {
  return new Promise((resolve) => {
    const stopWaiting = (busy: Busy) => {
      if (visit.at === 'inside' || visit.at === 'left') return
      leave()
      resolve(busy)
    }
    const onAbort = () => {
      stopWaiting('left')
    }
    const timer = setTimeout(() => {
      stopWaiting(visit.at === 'own lane' ? 'client_busy' : 'overloaded')
    }, MAX_WAIT_MS)
    signal.addEventListener('abort', onAbort)
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    done.then(end, end)
  })
}
