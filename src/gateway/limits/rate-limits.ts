// How many calls a client may make for a person: a soft limit that the model is told of, and a hard ceiling above it.
import type { Caller } from '../../backend/caller.ts'
import { clientKey, type Budget, type Permit, type TakePermit } from '../../tools/admission.ts'
import type { TakeTokens } from './token-bucket.ts'

/** Calls a minute, by budget: so many at once, and as many again evenly within each minute. */
export type Limits = Readonly<Record<Budget, number>>

export interface RateLimitOptions {
  readonly takeTokens: TakeTokens
  readonly limitsOf: (caller: Caller) => Limits
  /** The ceiling is this many times the limit. */
  readonly hardFactor: number
}

const ALLOWED: Permit = { kind: 'allowed' }

/** Each budget of a client and person has buckets of its own. */
export function createRateLimits({ takeTokens, limitsOf, hardFactor }: RateLimitOptions): TakePermit {
  return async (budget, caller) => {
    const limit = limitsOf(caller)[budget]
    // A limit of none still tells the model first.
    const ceiling = Math.max(1, limit) * hardFactor
    const { ceilingMs, limitMs } = await takeTokens(`${budget}\n${clientKey(caller)}`, { ceiling, limit })
    // Whoever is past the ceiling is told when a call would be served, not when it would be refused more kindly.
    if (ceilingMs > 0) {
      const retryAfterS = toSeconds(Math.max(ceilingMs, limitMs))
      return { kind: 'over_ceiling', retryAfterS, budget, limitPerMinute: limit }
    }
    return limitMs > 0 ? { kind: 'over_limit', retryAfterS: toSeconds(limitMs) } : ALLOWED
  }
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000)
}
