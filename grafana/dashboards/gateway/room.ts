// Saturation and limits: what waits, and what is turned away.
import type { Row } from '../dashboard.ts'
import { level, quantile, rate } from '../query.ts'

export const room: Row = {
  id: 400,
  title: 'Is there room?',
  questions: [
    {
      id: 401,
      title: 'Is there room?',
      description:
        'MAX_CALLS_IN_FLIGHT calls (64) run at once. At the bound with calls waiting: the service is slow, or more replicas are needed.',
      kind: 'lines',
      steps: [
        [null, 'green'],
        [64, 'red'],
      ],
      queries: [
        { expr: level('desk_gateway_calls_in_flight'), legend: 'in flight at {{instance}}' },
        { expr: level('desk_gateway_calls_waiting'), legend: 'waiting at {{instance}}' },
      ],
    },
    {
      id: 402,
      title: 'How long do calls wait for room?',
      description:
        'Milliseconds are fine. After five seconds a call is refused: see what is not let through.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      queries: [0.5, 0.95, 0.99].map((q) => ({
        expr: quantile(q, 'desk_gateway_queue_wait_seconds'),
        legend: `${q * 100} %`,
      })),
    },
    {
      id: 403,
      title: 'How do limits decide?',
      description:
        'By class of limits in CLIENT_POLICY_FILE. soft: the model is told to wait. hard: HTTP 429, a client in a loop. Much soft of one budget: the limit is too small for the work.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: rate('desk_gateway_rate_limit_decisions_total', { by: 'limit_class, budget, decision' }),
          legend: '{{limit_class}}: {{budget}} {{decision}}',
        },
      ],
    },
    {
      id: 404,
      title: 'What is not let through, and why?',
      description:
        'over_limit, over_ceiling: a budget. client_busy: one client has too much at once. overloaded: all have. breaker_open: the service fails. audit_unavailable: the audit cannot be written.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        {
          expr: rate('desk_gateway_rejections_total', { by: 'reason', where: 'gen_ai_tool_name=~"$tool"' }),
          legend: '{{reason}}',
        },
      ],
    },
  ],
}
