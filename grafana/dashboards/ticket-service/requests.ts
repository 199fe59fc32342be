// What the service is asked, and how it answers.
import type { Row } from '../dashboard.ts'
import { level, quantile, rate, share } from '../query.ts'

const DURATION = 'http_server_request_duration_seconds'
/** A stream of events lasts as long as its reader likes. */
const ANSWERS = 'http_route!="/v1/events"'

export const requests: Row = {
  id: 100,
  title: 'Does the service answer?',
  questions: [
    {
      id: 101,
      title: 'Do requests succeed?',
      description: 'Share of answers that are no 5xx. Below 99 % look which requests fail.',
      kind: 'stat',
      width: 6,
      unit: 'percentunit',
      decimals: 2,
      steps: [
        [null, 'red'],
        [0.99, 'green'],
      ],
      queries: [
        {
          expr: share(`${DURATION}_count`, 'http_response_status_code!~"5.."', { where: ANSWERS }),
          legend: 'answers',
        },
      ],
    },
    {
      id: 102,
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
      queries: [{ expr: level('up'), legend: '{{instance}}' }],
    },
    {
      id: 103,
      title: 'How many tickets are there?',
      description: 'Open ones that only grow: nobody closes them.',
      kind: 'stat',
      width: 6,
      steps: [[null, 'blue']],
      queries: [{ expr: level('desk_service_tickets'), legend: '{{status}}' }],
    },
    {
      id: 104,
      title: 'How many event streams are open?',
      description:
        'Past 100 new ones are refused. More than there are gateways and pages: readers that do not close.',
      kind: 'stat',
      width: 6,
      steps: [
        [null, 'blue'],
        [80, 'red'],
      ],
      queries: [{ expr: level('desk_service_open_event_streams'), legend: '{{instance}}' }],
    },
    {
      id: 105,
      title: 'Which requests come in?',
      description:
        'By route. A step: compare with the tools of the gateway; what is not there comes from the web.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate(`${DURATION}_count`, { by: 'http_request_method, http_route' })} > 0`,
          legend: '{{http_request_method}} {{http_route}}',
        },
      ],
    },
    {
      id: 106,
      title: 'Which requests fail, and how?',
      description:
        '5xx are faults of the service: the log lines with `err` have the cause. 4xx are refusals: see why requests are refused.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate(`${DURATION}_count`, { by: 'http_route, http_response_status_code', where: 'http_response_status_code=~"[45]..|other"' })} > 0`,
          legend: '{{http_route}} {{http_response_status_code}}',
        },
      ],
    },
    {
      id: 107,
      title: 'How slow is each route?',
      description:
        'Time within which 95 % of requests are done. One route: its query. All: processor or disk.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      steps: [
        [null, 'green'],
        [0.5, 'red'],
      ],
      queries: [
        { expr: quantile(0.95, DURATION, { by: 'http_route', where: ANSWERS }), legend: '{{http_route}}' },
      ],
    },
    {
      id: 108,
      title: 'How slow are requests in all?',
      description:
        'A high 99 % with a calm middle: exports and searches. A high middle: processor, disk or lock.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      queries: [0.5, 0.95, 0.99].map((q) => ({
        expr: quantile(q, DURATION, { where: ANSWERS }),
        legend: `${q * 100} %`,
      })),
    },
    {
      id: 109,
      title: 'Why are requests refused?',
      description:
        'By problem code. A step of one code after a release: a client that does not know a new rule.',
      kind: 'lines',
      unit: 'reqps',
      queries: [{ expr: `${rate('desk_service_refusals_total', { by: 'code' })} > 0`, legend: '{{code}}' }],
    },
    {
      id: 110,
      title: 'How long do transactions take?',
      description:
        'Writes wait for one another. Slow writes with quick reads: a long transaction, or a slow disk.',
      kind: 'lines',
      unit: 's',
      queries: [
        {
          expr: quantile(0.95, 'desk_service_transaction_duration_seconds', { by: 'kind' }),
          legend: '{{kind}}, 95 %',
        },
      ],
    },
  ],
}
