// `npm run bench`: what a tool call costs the gateway, next to the same ticket asked of the service directly, in one run.
// Rounds are interleaved, so that a noisy machine disturbs both; only the ratios mean something. Needs Linux (/proc).
import { freePort, process as startProcess, startDesk, type Desk } from '../test/support/desk.ts'
import { measureNeighbours } from './neighbours.ts'
import { load, type Load, type LoadRequest } from './load.ts'

/** Many short ones: what disturbs the machine lasts for seconds. */
const ROUNDS = 21
const ROUND_S = 1
const WARM_UP_S = 2

// The one caller of the benchmark is not to be held up.
const ROOM = { LIMIT_READS_PER_MINUTE: '1000000', MAX_CALLS_IN_FLIGHT_PER_CLIENT: '64' }

/** What is measured next to each other: the service, the gateway in use, and the gateway with nothing told of it. */
type Round = Record<'direct' | 'gateway' | 'silent', Load>

const desk = await startDesk({
  tickets: 60,
  logLevel: 'info',
  production: true,
  service: { LOG_LEVEL: 'warn' },
  gateway: () => ({ ...ROOM, ADMIN_PORT: '0' }),
})
const silent = await startSilentGateway(desk)
try {
  const direct = await directRequest(desk)
  const call = await toolCall(desk)
  const measure = {
    direct: (seconds: number) => load(direct, desk.service.pid(), seconds),
    gateway: (seconds: number) => load(call, desk.gateway.pid(), seconds),
    silent: (seconds: number) => load({ ...call, url: silent.url }, silent.process.pid(), seconds),
  }
  for (const warmUp of Object.values(measure)) await warmUp(WARM_UP_S)
  const rounds: Round[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}\n`)
    const direct = await measure.direct(ROUND_S)
    // Each is as often before the other as after it.
    const [silentFirst, gateway] = [
      round % 2 === 0 && (await measure.silent(ROUND_S)),
      await measure.gateway(ROUND_S),
    ]
    rounds.push({ direct, gateway, silent: silentFirst || (await measure.silent(ROUND_S)) })
  }
  report(rounds)
} finally {
  await silent.process.kill('SIGTERM')
  await desk.close()
}

process.stderr.write('a noisy neighbour\n')
const { aloneMs, besideMs, ratio, noisyCallsPerS } = await measureNeighbours()
process.stdout.write(
  `Beside a client that makes ${noisyCallsPerS.toFixed(0)} calls a second and may make 10, the p99 of another is ` +
    `${ratio.toFixed(2)} times that of its own (${aloneMs.toFixed(1)} ms alone, ${besideMs.toFixed(1)} ms beside it).\n`,
)

/** The same gateway once more, without log lines and metrics. */
async function startSilentGateway({ environment, url }: Desk) {
  const port = await freePort()
  const started = startProcess(
    'src/main.ts',
    {
      ...environment.gateway,
      ...ROOM,
      PORT: String(port),
      ALLOWED_HOSTS: `127.0.0.1:${port}`,
      LOG_LEVEL: 'silent',
      NODE_OPTIONS: '--import tsx --import ./bench/without-metrics.ts',
    },
    new URL(`http://127.0.0.1:${port}/healthz`),
  )
  await started.start()
  return { process: started, url: new URL(new URL(url).pathname, `http://127.0.0.1:${port}`) }
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

function report(rounds: readonly Round[]): void {
  const middle = (pick: (round: Round) => number) =>
    rounds.map(pick).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  const line = (name: string, of: keyof Round) => {
    const figure = (pick: (load: Load) => number, digits: number) =>
      middle((round) => pick(round[of])).toFixed(digits)
    return [
      name.padEnd(28),
      `${figure(({ cpuMicros }) => cpuMicros, 0).padStart(6)} µs CPU`,
      `${figure(({ callsPerS }) => callsPerS, 0).padStart(6)} calls/s`,
      `p50 ${figure(({ p50Ms }) => p50Ms, 1)} ms`,
      `p99 ${figure(({ p99Ms }) => p99Ms, 1)} ms\n`,
    ].join('  ')
  }
  const cost = middle((round) => round.gateway.cpuMicros / round.direct.cpuMicros)
  // Of all rounds together: which of the two comes first matters as much as what is asked here.
  const sum = (of: keyof Round) => rounds.reduce((total, round) => total + round[of].callsPerS, 0)
  const told = sum('gateway') / sum('silent')
  process.stdout.write(
    line('service asked directly', 'direct') +
      line('gateway, ticket_get', 'gateway') +
      line('without logs and metrics', 'silent') +
      `A ticket_get costs the gateway process ${cost.toFixed(2)} times the CPU that the service pays when asked directly.\n` +
      `With logs and metrics the gateway answers ${told.toFixed(2)} times as many calls as without (${rounds.length} rounds).\n`,
  )
}
