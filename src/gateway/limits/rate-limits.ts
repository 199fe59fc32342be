// How many calls a client may make for a person: a soft limit that the model is told of, and a hard ceiling above it.
import type { Caller } from '../../backend/caller.ts'
import { clientKey, type Budget, type Permit, type TakePermit } from '../../tools/admission.ts'
import type { Count, Counter } from './counters.ts'

/** Calls a minute, by budget. */
export type Limits = Readonly<Record<Budget, number>>

export interface RateLimitOptions {
  readonly counter: Counter
  readonly limitsOf: (caller: Caller) => Limits
  /** The ceiling is this many times the limit. */
  readonly hardFactor: number
}

const ALLOWED: Permit = { kind: 'allowed' }

/** One count for each budget of a client and person; it is held against the limit and against the ceiling. */
export function createRateLimits({ counter, limitsOf, hardFactor }: RateLimitOptions): TakePermit {
  return async (budget, caller) => {
    const limit = limitsOf(caller)[budget]
    const counts = await counter(`${budget}\n${clientKey(caller)}`)
    // A limit of none still tells the model first.
    const ceilingS = secondsOver(counts, Math.max(1, limit) * hardFactor)
    if (ceilingS > 0) return { kind: 'over_ceiling', retryAfterS: ceilingS, budget, limitPerMinute: limit }
    const limitS = secondsOver(counts, limit)
    return limitS > 0 ? { kind: 'over_limit', retryAfterS: limitS } : ALLOWED
  }
}

/** Whole seconds until no window has more than `limit` in it; 0 when none has. */
function secondsOver(counts: readonly Count[], limit: number): number {
  let ms = 0
  for (const { used, endsInMs } of counts) if (used > limit) ms = Math.max(ms, endsInMs, 1)
  return Math.ceil(ms / 1000)
}
