// Tokens, exchange and caches: whether callers get in, and whether the issuer answers.
import type { Row } from '../dashboard.ts'
import { level, quantile, rate, share } from '../query.ts'

const EXCHANGE = 'desk_gateway_exchange_duration_seconds'
const VERIFICATIONS = 'desk_gateway_token_verifications_total'

export const whoGetsIn: Row = {
  id: 500,
  title: 'Who gets in?',
  questions: [
    {
      id: 501,
      title: 'Are tokens accepted?',
      description:
        'refused: expired or foreign tokens; a step after a change means a wrong audience or issuer. issuer_unavailable: its keys cannot be fetched; npm run doctor.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [{ expr: rate(VERIFICATIONS, { by: 'result' }), legend: '{{result}}' }],
    },
    {
      id: 502,
      title: 'Does token exchange work?',
      description:
        'issuer_unavailable: the issuer is down or refuses the gateway itself (CLIENT_SECRET). subject_refused: tokens that the issuer no longer knows.',
      kind: 'lines',
      unit: 'reqps',
      queries: [{ expr: rate(`${EXCHANGE}_count`, { by: 'outcome' }), legend: '{{outcome}}' }],
    },
    {
      id: 503,
      title: 'How fast is token exchange?',
      description: 'Every new token pays this once. Over a second: the issuer is slow or far away.',
      kind: 'lines',
      unit: 's',
      queries: [0.5, 0.95].map((q) => ({
        expr: quantile(q, EXCHANGE, { by: 'outcome' }),
        legend: `{{outcome}}, ${q * 100} %`,
      })),
    },
    {
      id: 504,
      title: 'Do the caches help?',
      description:
        'Share of look-ups that needed no work. Low: tokens are very short-lived, or clients fetch a new one for each call.',
      kind: 'lines',
      unit: 'percentunit',
      max: 1,
      queries: [
        { expr: share(VERIFICATIONS, 'result="cached"'), legend: 'verified tokens' },
        { expr: share('desk_gateway_exchange_cache_total', 'result="hit"'), legend: 'exchanged tokens' },
      ],
    },
    {
      id: 505,
      title: 'How much do the caches hold?',
      description:
        'Each holds 10,000 at most. At the bound with a falling share of hits, callers are more than it holds.',
      kind: 'lines',
      queries: [{ expr: level('desk_gateway_cache_entries'), legend: '{{cache}} at {{instance}}' }],
    },
    {
      id: 506,
      title: 'Which HTTP answers are given?',
      description:
        '401: no or old token. 403: a scope is missing. 429: far over the limit, or a stranger. 5xx: ours, or the issuer is out of reach. Strangers are addresses without a valid token.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate('http_server_request_duration_seconds_count', { by: 'http_route, http_response_status_code' })} > 0`,
          legend: '{{http_route}} {{http_response_status_code}}',
        },
        { expr: rate('desk_gateway_strangers_refused_total'), legend: 'strangers refused' },
      ],
    },
  ],
}
