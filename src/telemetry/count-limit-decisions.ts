// Counts what the rate limits decide, whoever asks them.
import type { TakePermit } from '../tools/admission.ts'
import { CONFIGURED_LIMITS } from './limit-decisions.ts'
import type { Metrics } from './metrics.ts'

const DECISIONS = { allowed: 'allowed', over_limit: 'soft', over_ceiling: 'hard' } as const

/** `limitClassOf` names the class of limits that a client has; undefined for those of the configuration. */
export function countLimitDecisions(
  takePermit: TakePermit,
  limitClassOf: (clientId: string) => string | undefined,
  { limitDecision }: Pick<Metrics, 'limitDecision'>,
): TakePermit {
  return async (budget, caller) => {
    const permit = await takePermit(budget, caller)
    limitDecision(limitClassOf(caller.clientId) ?? CONFIGURED_LIMITS, budget, DECISIONS[permit.kind])
    return permit
  }
}
