// What passes through: is it in order, and is it written down?
import type { Row } from '../dashboard.ts'
import { level, rate } from '../query.ts'

export const whatPasses: Row = {
  id: 600,
  title: 'Is what passes in order?',
  questions: [
    {
      id: 601,
      title: 'Does the service keep the contract?',
      description:
        'Anything above nothing: gateway and service are of different versions. npm run doctor compares them.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: rate('desk_gateway_backend_drift_total', { by: 'gen_ai_tool_name' }),
          legend: '{{gen_ai_tool_name}}',
        },
      ],
    },
    {
      id: 602,
      title: 'Are invisible characters removed?',
      description:
        'Characters a second. A burst is somebody who hides text for the model in a ticket: the log lines with `removed_characters` name it.',
      kind: 'lines',
      queries: [
        {
          expr: rate('desk_gateway_removed_characters_total', { by: 'gen_ai_tool_name' }),
          legend: '{{gen_ai_tool_name}}',
        },
      ],
    },
    {
      id: 603,
      title: 'Are audit lines written?',
      description:
        'failed: is the disk full? With AUDIT_REQUIRED writes are refused until it works again. None at all: AUDIT_FILE is not set.',
      kind: 'lines',
      unit: 'reqps',
      queries: [{ expr: rate('desk_gateway_audit_lines_total', { by: 'result' }), legend: '{{result}}' }],
    },
    {
      id: 604,
      title: 'How many streams are open?',
      description:
        'Clients that listen for changes. It falls to nothing when a replica restarts, and comes back.',
      kind: 'lines',
      queries: [{ expr: level('desk_gateway_open_streams'), legend: '{{instance}}' }],
    },
  ],
}
