// What happens to the desk.
import type { Row } from '../dashboard.ts'
import { level, rate } from '../query.ts'

export const changes: Row = {
  id: 200,
  title: 'What happens to the desk?',
  questions: [
    {
      id: 201,
      title: 'What changes?',
      description:
        'Changes by type. A burst of one type may be an agent in a loop: npm run events -- T-7 says who.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [{ expr: rate('desk_service_changes_total', { by: 'type' }), legend: '{{type}}' }],
    },
    {
      id: 202,
      title: 'How many tickets are open, how many closed?',
      description: 'The work of the desk. A fall of both is lost data: stop, and look at the backup.',
      kind: 'stacked',
      queries: [{ expr: level('desk_service_tickets'), legend: '{{status}}' }],
    },
    {
      id: 203,
      title: 'Are writes repeated?',
      description: 'Answers from an earlier request with the same key. Many: callers time out and try again.',
      kind: 'lines',
      unit: 'reqps',
      queries: [{ expr: rate('desk_service_idempotent_replays_total'), legend: 'repeated' }],
    },
    {
      id: 204,
      title: 'How much is exported?',
      description:
        'Tickets a second. Nobody should export all day: who does is in `user` and `client` of the log.',
      kind: 'lines',
      queries: [{ expr: rate('desk_service_exported_tickets_total'), legend: 'tickets a second' }],
    },
  ],
}
