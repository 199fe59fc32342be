// `npm run bench`: what a tool call costs the gateway, next to the same ticket asked of the service directly, in one run.
// Rounds are interleaved, so that a noisy machine disturbs both; only the ratios mean something. Needs Linux (/proc).
import { startDesk, type Desk } from '../test/support/desk.ts'
import { load, type Load, type LoadRequest } from './load.ts'

const ROUNDS = 5
const ROUND_S = 3
const WARM_UP_S = 2

const desk = await startDesk({
  tickets: 60,
  logLevel: 'warn',
  production: true,
  // The one caller of the benchmark is not to be held up.
  gateway: () => ({ LIMIT_READS_PER_MINUTE: '1000000', MAX_CALLS_IN_FLIGHT_PER_CLIENT: '64' }),
})
try {
  const direct = await directRequest(desk)
  const call = await toolCall(desk)
  const measure = {
    direct: (seconds: number) => load(direct, desk.service.pid(), seconds),
    gateway: (seconds: number) => load(call, desk.gateway.pid(), seconds),
  }
  await measure.direct(WARM_UP_S)
  await measure.gateway(WARM_UP_S)
  const rounds: { direct: Load; gateway: Load }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}\n`)
    rounds.push({ direct: await measure.direct(ROUND_S), gateway: await measure.gateway(ROUND_S) })
  }
  report(rounds)
} finally {
  await desk.close()
}

async function directRequest({ environment, token }: Desk): Promise<LoadRequest> {
  const bearer = await token('alice', { resource: environment.serviceUrl })
  return {
    url: new URL(`${environment.serviceUrl}/tickets/T-1`),
    method: 'GET',
    headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
    expect: '"id":"T-1"',
  }
}

async function toolCall({ url, token }: Desk): Promise<LoadRequest> {
  const params = {
    name: 'acme_desk__ticket_get',
    arguments: { id: 'T-1' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  }
  return {
    url: new URL(url),
    method: 'POST',
    headers: {
      authorization: `Bearer ${await token('alice')}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'acme_desk__ticket_get',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    expect: '"structuredContent"',
  }
}

function report(rounds: readonly { direct: Load; gateway: Load }[]): void {
  const middle = (pick: (round: { direct: Load; gateway: Load }) => number) =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  const line = (name: string, of: (round: { direct: Load; gateway: Load }) => Load) =>
    `${name.padEnd(28)} ${middle((r) => of(r).cpuMicros)
      .toFixed(0)
      .padStart(6)} µs CPU ${middle((r) => of(r).callsPerS)
      .toFixed(0)
      .padStart(
        6,
      )} calls/s  p50 ${middle((r) => of(r).p50Ms).toFixed(1)} ms  p99 ${middle((r) => of(r).p99Ms).toFixed(1)} ms\n`
  process.stdout.write(line('service asked directly', (r) => r.direct))
  process.stdout.write(line('gateway, ticket_get', (r) => r.gateway))
  const ratio = middle((r) => r.gateway.cpuMicros / r.direct.cpuMicros)
  process.stdout.write(
    `A ticket_get costs the gateway process ${ratio.toFixed(2)} times the CPU that the service pays when asked directly (median of ${rounds.length} rounds).\n`,
  )
}
