// Counts what the rate limits decide, whoever asks them.
import type { TakePermit } from '../tools/admission.ts'
import type { Metrics } from './metrics.ts'

const DECISIONS = { allowed: 'allowed', over_limit: 'soft', over_ceiling: 'hard' } as const

export function countLimitDecisions(
  takePermit: TakePermit,
  { limitDecision }: Pick<Metrics, 'limitDecision'>,
): TakePermit {
  return async (budget, caller) => {
    const permit = await takePermit(budget, caller)
    limitDecision(budget, DECISIONS[permit.kind])
    return permit
  }
}
