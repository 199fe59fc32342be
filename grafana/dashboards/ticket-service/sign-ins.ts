// The embedded authorization server; with another issuer these stay at nothing.
import type { Row } from '../dashboard.ts'
import { rate } from '../query.ts'

export const signIns: Row = {
  id: 300,
  title: 'Who signs in?',
  questions: [
    {
      id: 301,
      title: 'Do people sign in?',
      description: 'refused: wrong passwords. Many of them, and locked, are somebody who guesses.',
      kind: 'lines',
      unit: 'reqps',
      queries: [{ expr: rate('desk_service_sign_ins_total', { by: 'outcome' }), legend: '{{outcome}}' }],
    },
    {
      id: 302,
      title: 'Are tokens issued?',
      description:
        'By grant. token_exchange refused: the gateway has a wrong secret, or its callers have old tokens.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate('desk_service_tokens_total', { by: 'grant, outcome' })} > 0`,
          legend: '{{grant}} {{outcome}}',
        },
      ],
    },
  ],
}
