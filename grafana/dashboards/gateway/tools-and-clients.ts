// Which tool and which client, of what goes well and of what fails.
import type { Row } from '../dashboard.ts'
import { quantile, rate } from '../query.ts'

const DURATION = 'mcp_server_operation_duration_seconds'
const TOOL = 'gen_ai_tool_name=~"$tool"'
const CALL = `mcp_method_name="tools/call", ${TOOL}`

export const toolsAndClients: Row = {
  id: 200,
  title: 'Which tool, which client?',
  questions: [
    {
      id: 201,
      title: 'Which tools are called?',
      description: 'A sudden step is a new client or a loop: see which client calls.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [
        {
          expr: rate(`${DURATION}_count`, { by: 'gen_ai_tool_name', where: CALL }),
          legend: '{{gen_ai_tool_name}}',
        },
      ],
    },
    {
      id: 202,
      title: 'Which tools fail, and how?',
      description:
        'One tool only: its operation at the ticket service. All tools: the service, the issuer or the network. The log lines with this class have the request ids.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate('desk_gateway_failures_total', { by: 'gen_ai_tool_name, class', where: TOOL })} > 0`,
          legend: '{{gen_ai_tool_name}} {{class}}',
        },
      ],
    },
    {
      id: 203,
      title: 'How slow is each tool?',
      description:
        'Time within which 95 % of calls are done. Over a second: see where the time goes. A dot is one call, with its trace id.',
      kind: 'lines',
      unit: 's',
      steps: [
        [null, 'green'],
        [1, 'red'],
      ],
      exemplars: true,
      queries: [
        {
          expr: quantile(0.95, DURATION, { by: 'gen_ai_tool_name', where: CALL }),
          legend: '{{gen_ai_tool_name}}',
        },
      ],
    },
    {
      id: 204,
      title: 'How slow are calls in all?',
      description:
        'A high 99 % with a calm middle is a few slow calls: exports, or retries. A high middle is the service or the processor.',
      kind: 'lines',
      unit: 's',
      exemplars: true,
      queries: [0.5, 0.95, 0.99].map((q) => ({
        expr: quantile(q, DURATION, { where: CALL }),
        legend: `${q * 100} %`,
      })),
    },
    {
      id: 205,
      title: 'Which clients call?',
      description: 'Clients that CLIENT_POLICY_FILE lists have a name; `client` in the log names all.',
      kind: 'stacked',
      unit: 'reqps',
      queries: [{ expr: rate('desk_gateway_client_calls_total', { by: 'client' }), legend: '{{client}}' }],
    },
    {
      id: 206,
      title: 'Which clients fail or are limited?',
      description:
        'One client: talk to its owner, or give it limits of its own. All of them: it is not the clients.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate('desk_gateway_client_calls_total', { by: 'client, outcome', where: 'outcome!="ok"' })} > 0`,
          legend: '{{client}} {{outcome}}',
        },
      ],
    },
    {
      id: 207,
      title: 'Which MCP methods are used?',
      description:
        'Many of initialize or tools/list for few calls: a client that connects anew for each call.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate(`${DURATION}_count`, { by: 'mcp_method_name' })} > 0`,
          legend: '{{mcp_method_name}}',
        },
      ],
    },
    {
      id: 208,
      title: 'Which methods fail, and how?',
      description:
        'tool_error is a result that says what failed. A number is a JSON-RPC code: -32602 wrong parameters, -32601 no such method, -32603 a fault of ours.',
      kind: 'lines',
      unit: 'reqps',
      queries: [
        {
          expr: `${rate(`${DURATION}_count`, { by: 'mcp_method_name, error_type', where: 'error_type!=""' })} > 0`,
          legend: '{{mcp_method_name}} {{error_type}}',
        },
      ],
    },
  ],
}
