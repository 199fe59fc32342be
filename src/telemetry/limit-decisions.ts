// What the rate limits decide, by the class of limits that a client has in CLIENT_POLICY_FILE.
import { Counter } from 'prom-client'
import { combinationsOf, type MetricsRegistry } from './instruments.ts'
import { createListedNames, type ListedNames } from './listed-names.ts'

/** A person keeps no more classes apart. */
const MAX_CLASSES = 20
const BUDGETS = ['reads', 'writes', 'exports'] as const
const DECISIONS = ['allowed', 'soft', 'hard'] as const
/** The class of clients that the policy gives no limits. */
export const CONFIGURED_LIMITS = 'configuration'

export interface LimitDecisions {
  /** Gives these classes of limits a label of their own, the first 20 of them all. */
  readonly listLimitClasses: ListedNames['list']
  readonly limitDecision: (
    limitClass: string,
    budget: (typeof BUDGETS)[number],
    decision: (typeof DECISIONS)[number],
  ) => void
}

export function createLimitDecisions(registry: MetricsRegistry): LimitDecisions {
  const decisions = new Counter({
    name: 'desk_gateway_rate_limit_decisions_total',
    help: 'Decisions of the rate limits: allowed, soft (the model is told to wait) or hard (HTTP 429). limit_class is that of the client in CLIENT_POLICY_FILE, or configuration.',
    labelNames: ['limit_class', 'budget', 'decision'] as const,
    registers: [registry],
  })
  const classes = createListedNames(MAX_CLASSES, (limit_class) => {
    for (const labels of combinationsOf({ budget: BUDGETS, decision: DECISIONS }))
      decisions.inc({ limit_class, ...labels }, 0)
  })
  classes.list([CONFIGURED_LIMITS])
  return {
    listLimitClasses: classes.list,
    limitDecision: (limitClass, budget, decision) => {
      decisions.inc({ limit_class: classes.labelOf(limitClass), budget, decision })
    },
  }
}
