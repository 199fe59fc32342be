// The gateway's dashboard: read from the top, it answers which side, which tool, which client, and since when.
import { toDashboard } from './dashboard.ts'
import { isItUs } from './gateway/is-it-us.ts'
import { room } from './gateway/room.ts'
import { toolsAndClients } from './gateway/tools-and-clients.ts'
import { towardsTheService } from './gateway/towards-the-service.ts'
import { whatPasses } from './gateway/what-passes.ts'
import { whoGetsIn } from './gateway/who-gets-in.ts'
import { processRow } from './process-row.ts'
import { level } from './query.ts'

export const gateway = toDashboard({
  uid: 'desk-gateway',
  title: 'Gateway',
  description: 'Agents at the desk: which tool, which client, which side, since when.',
  metric: 'desk_gateway_build_info',
  labels: [
    {
      name: 'tool',
      metric: 'mcp_server_operation_duration_seconds_count{job=~"$job", mcp_method_name="tools/call"}',
      label: 'gen_ai_tool_name',
    },
  ],
  rows: [
    isItUs,
    toolsAndClients,
    towardsTheService,
    room,
    whoGetsIn,
    whatPasses,
    processRow(700, [
      {
        id: 710,
        title: 'Which build runs?',
        description: 'More than one version for longer than a roll-out: a replica was left behind.',
        kind: 'table',
        queries: [{ expr: level('desk_gateway_build_info'), legend: '' }],
      },
      {
        id: 711,
        title: 'Which catalogue is served?',
        description:
          'Digests that differ mean that clients see tools come and go. catalog.lock.json has the digest of each version.',
        kind: 'table',
        queries: [{ expr: level('desk_gateway_catalogue_info'), legend: '' }],
      },
    ]),
  ],
})
