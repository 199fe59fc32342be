// The ticket service's dashboard: requests, changes, sign-ins, process.
import { toDashboard } from './dashboard.ts'
import { processRow } from './process-row.ts'
import { level } from './query.ts'
import { changes } from './ticket-service/changes.ts'
import { requests } from './ticket-service/requests.ts'
import { signIns } from './ticket-service/sign-ins.ts'

export const ticketService = toDashboard({
  uid: 'desk-ticket-service',
  title: 'Ticket service',
  description: 'The desk itself: what it is asked, what changes, who signs in.',
  metric: 'desk_service_build_info',
  rows: [
    requests,
    changes,
    signIns,
    processRow(400, [
      {
        id: 410,
        title: 'Which build runs?',
        description: 'More than one version for longer than a roll-out: a replica was left behind.',
        kind: 'table',
        queries: [{ expr: level('desk_service_build_info'), legend: '' }],
      },
      {
        id: 411,
        title: 'Which contract is served?',
        description: 'npm run doctor says whether the gateway was built with the same.',
        kind: 'table',
        queries: [{ expr: level('desk_service_contract_info'), legend: '' }],
      },
    ]),
  ],
})
