// What one client feels of another that calls fifty times as often as it may. Quiet and noisy rounds take turns.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { startDesk } from '../test/support/desk.ts'

const ROUNDS = 5
const ROUND_MS = 4_000
const LIMIT_PER_MINUTE = 600
const NOISY_PER_S = (50 * LIMIT_PER_MINUTE) / 60
const TICK_MS = 10
/** More than this would measure the load generator. */
const MAX_OUTSTANDING = 200

export interface Neighbours {
  /** p99 of the quiet client's calls alone, and next to the noisy one; medians of the rounds. */
  readonly aloneMs: number
  readonly besideMs: number
  /** Median of the rounds' ratios. */
  readonly ratio: number
  readonly noisyCallsPerS: number
}

/** The noisy client reads, the quiet one writes one comment after the other and has no limit that matters. */
export async function measureNeighbours(): Promise<Neighbours> {
  const desk = await startDesk({
    tickets: 60,
    logLevel: 'info',
    production: true,
    gateway: () => ({
      LIMIT_READS_PER_MINUTE: String(LIMIT_PER_MINUTE),
      LIMIT_WRITES_PER_MINUTE: '1000000',
      LIMIT_HARD_FACTOR: '1',
    }),
  })
  const pool = new Pool(new URL(desk.url).origin, { connections: 32 })
  const callerOf = (token: string, name: string, args: object) => async () => {
    const { body } = await pool.request({
      path: '/mcp',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    })
    return body.text()
  }
  try {
    const quiet = callerOf(await desk.token('alice'), 'acme_desk__ticket_comment', {
      id: 'T-1',
      body: 'Again.',
    })
    const noisy = callerOf(await desk.token('bob'), 'acme_desk__ticket_get', { id: 'T-1' })
    await p99Of(quiet)
    const rounds: { alone: number; beside: number; made: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await p99Of(quiet)
      const noise = makeNoise(noisy)
      await sleep(500)
      const beside = await p99Of(quiet)
      rounds.push({ alone, beside, made: await noise.end() })
    }
    const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
    return {
      aloneMs: middle(rounds.map(({ alone }) => alone)),
      besideMs: middle(rounds.map(({ beside }) => beside)),
      ratio: middle(rounds.map(({ alone, beside }) => beside / alone)),
      noisyCallsPerS: middle(rounds.map(({ made }) => made)),
    }
  } finally {
    await pool.close()
    await desk.close()
  }
}

/** Calls one after the other for a round; throws at the first call that fails. */
async function p99Of(call: () => Promise<string>): Promise<number> {
  const latencies: number[] = []
  const end = performance.now() + ROUND_MS
  while (performance.now() < end) {
    const start = performance.now()
    const answer = await call()
    if (!answer.includes('"structuredContent"')) throw new Error(`The quiet client was refused: ${answer}`)
    latencies.push(performance.now() - start)
  }
  return latencies.sort((a, b) => a - b)[Math.floor((latencies.length - 1) * 0.99)] ?? 0
}

/** Calls at a steady rate until its end, which gives the calls made per second. */
function makeNoise(call: () => Promise<string>): { end(): Promise<number> } {
  const start = performance.now()
  const outstanding = new Set<Promise<unknown>>()
  let made = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1000) * NOISY_PER_S - made
    for (let n = 0; n < due && outstanding.size < MAX_OUTSTANDING; n++) {
      made++
      const sent: Promise<unknown> = call().finally(() => outstanding.delete(sent))
      outstanding.add(sent)
    }
  }, TICK_MS)
  return {
    async end() {
      clearInterval(timer)
      const perS = (made * 1000) / (performance.now() - start)
      await Promise.all(outstanding)
      return perS
    },
  }
}
