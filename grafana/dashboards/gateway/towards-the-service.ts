// What the gateway sees of the ticket service, attempt by attempt.
import type { Row } from '../dashboard.ts'
import { quantile, rate } from '../query.ts'

const REQUEST = 'desk_gateway_backend_request_duration_seconds'

export const towardsTheService: Row = {
  id: 300,
  title: 'Is it the ticket service?',
  questions: [
    {
      id: 301,
      title: "Where does a call's time go?",
      description:
        'Queue: too many calls at once. Exchange: the issuer is slow. Ticket service: open its dashboard. What is left is the gateway: processor and event loop.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      queries: [
        {
          expr: quantile(0.95, 'mcp_server_operation_duration_seconds', {
            where: 'mcp_method_name="tools/call"',
          }),
          legend: 'whole call, 95 %',
        },
        { expr: quantile(0.95, 'desk_gateway_queue_wait_seconds'), legend: 'queue, 95 %' },
        { expr: quantile(0.95, 'desk_gateway_exchange_duration_seconds'), legend: 'token exchange, 95 %' },
        { expr: quantile(0.95, REQUEST), legend: 'ticket service, one attempt, 95 %' },
      ],
    },
    {
      id: 302,
      title: 'How fast does the ticket service answer?',
      description:
        'As seen from here, by operation. Slow here and quick on its own dashboard: it is the network, or its queue of connections.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      queries: [{ expr: quantile(0.95, REQUEST, { by: 'operation' }), legend: '{{operation}}, 95 %' }],
    },
    {
      id: 303,
      title: 'How do requests to the ticket service end?',
      description:
        'connection: nobody listens. timeout: it hangs. 5xx: it fails. unreadable: it breaks its contract. cancelled: callers leave. 4xx are refusals and harmless.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [{ expr: rate(`${REQUEST}_count`, { by: 'outcome' }), legend: '{{outcome}}' }],
    },
    {
      id: 304,
      title: 'Are requests repeated, and does the breaker open?',
      description: 'Retries hide short faults. When they last, or the breaker opens, the service needs help.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate('desk_gateway_backend_retries_total', { by: 'operation' })} > 0`,
          legend: 'again: {{operation}}',
        },
        {
          expr: rate('desk_gateway_breaker_opened_total', { by: 'instance' }),
          legend: 'breaker of {{instance}}',
        },
      ],
    },
  ],
}
