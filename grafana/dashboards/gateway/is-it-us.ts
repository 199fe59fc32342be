// The first glance: is something wrong, and whose is it?
import type { Row } from '../dashboard.ts'
import { level, rate } from '../query.ts'

const TOOL = 'gen_ai_tool_name=~"$tool"'
const burn = (window: string) => `job:desk_error_budget_burn:ratio${window}{job=~"$job"}`
const failures = (classes: string) =>
  rate('desk_gateway_failures_total', { where: `${TOOL}, class=~"${classes}"` })

export const isItUs: Row = {
  id: 100,
  title: 'Is something wrong, and is it us?',
  questions: [
    {
      id: 101,
      title: 'Do calls succeed?',
      description:
        'Share of tool calls in the last five minutes that did not fail for a reason of ours. Below 99.5 % look at whose fault the failures are.',
      kind: 'stat',
      width: 4,
      unit: 'percentunit',
      decimals: 2,
      steps: [
        [null, 'red'],
        [0.98, 'orange'],
        [0.995, 'green'],
      ],
      queries: [
        {
          expr: '1 - job:desk_bad_tool_calls:rate5m{job=~"$job", slo="availability"} / on (job) (job:desk_tool_calls:rate5m > 0)',
          legend: 'calls',
        },
      ],
    },
    {
      id: 102,
      title: "How much of the month's error budget is left?",
      description:
        'At nothing the objective is missed: stop risky changes until it recovers. Below nothing it shows 0.',
      kind: 'stat',
      width: 6,
      unit: 'percentunit',
      decimals: 0,
      steps: [
        [null, 'red'],
        [0.1, 'orange'],
        [0.5, 'green'],
      ],
      queries: [{ expr: `clamp_min(1 - ${burn('30d')}, 0)`, legend: '{{slo}}' }],
    },
    {
      id: 103,
      title: 'Is the breaker open?',
      description: 'Open: the ticket service fails and calls are not passed on. See how requests to it end.',
      kind: 'stat',
      width: 4,
      steps: [
        [null, 'green'],
        [1, 'red'],
      ],
      words: { 0: 'closed', 1: 'open' },
      queries: [{ expr: level('desk_gateway_breaker_open'), legend: '{{instance}}' }],
    },
    {
      id: 104,
      title: 'Are limits shared?',
      description:
        'Alone: Redis is out of reach and each replica grants the whole limit. None: REDIS_URL is not set.',
      kind: 'stat',
      width: 4,
      steps: [
        [null, 'orange'],
        [1, 'green'],
      ],
      words: { 0: 'alone', 1: 'shared' },
      queries: [{ expr: level('desk_gateway_limits_shared'), legend: '{{instance}}' }],
    },
    {
      id: 105,
      title: 'Is every replica up?',
      description:
        'Down: the process is gone, or its admin port is. docker compose ps, then its last log lines.',
      kind: 'stat',
      width: 6,
      steps: [
        [null, 'red'],
        [1, 'green'],
      ],
      words: { 0: 'down', 1: 'up' },
      queries: [{ expr: 'up{job=~"gateway|ticket-service"}', legend: '{{instance}}' }],
    },
    {
      id: 106,
      title: 'Which alerts fire, and since when?',
      description: 'Each alert carries a runbook of a few steps. Nothing here: nothing fires.',
      kind: 'timeline',
      width: 24,
      steps: [[null, 'red']],
      words: { 1: 'fires' },
      queries: [
        {
          expr: 'max by (alertname, slo, job) (ALERTS{alertstate="firing"})',
          legend: '{{alertname}} {{slo}} {{job}}',
        },
      ],
    },
    {
      id: 107,
      title: 'Whose fault are the failures?',
      description:
        'Gateway: a bug, report it with a request id. Ticket service or issuer: see whether token exchange works; if it does, open the dashboard Ticket service. Limits: see which client. Caller: the model calls wrongly; many at once after a release mean that a description misleads.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        { expr: failures('internal'), legend: 'gateway' },
        {
          expr: failures('backend_unavailable|outcome_unknown|bad_backend_reply'),
          legend: 'ticket service or issuer',
        },
        { expr: failures('rate_limited'), legend: 'limits' },
        { expr: failures('unknown_tool|invalid_arguments|not_found|forbidden|conflict'), legend: 'caller' },
      ],
    },
    {
      id: 108,
      title: 'How fast is the error budget spent?',
      description:
        'At 1 the budget lasts just the month. 14.4 over an hour and 6 over six hours page; 1 over three days makes a ticket.',
      kind: 'lines',
      steps: [
        [null, 'green'],
        [1, 'orange'],
        [14.4, 'red'],
      ],
      queries: [
        { expr: burn('5m'), legend: '{{slo}}, 5 minutes' },
        { expr: burn('1h'), legend: '{{slo}}, 1 hour' },
        { expr: burn('6h'), legend: '{{slo}}, 6 hours' },
      ],
    },
  ],
}
