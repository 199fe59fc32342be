// Many calls against a service that fails now and then, and what is left of them in the gateway's process afterwards.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as faults from './backend-faults.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { GATEWAY, PASSWORD, startIdentity } from './identity.ts'
import { callerOf, type CallTool } from './mcp-calls.ts'
import { json, startScriptedBackend, TICKET, TICKET_DETAIL } from './scripted-backend.ts'
import { signIn } from './sign-in.ts'

const CALLERS = 32
const FAULT_SHARE = 0.02
/** The hanging ones end here, so that a soak does not consist of waiting. */
const DEADLINE_MS = 1_000
const SETTLE_MS = 1_500

export interface Footprint {
  readonly rssBytes: number
  readonly sockets: number
  readonly timers: number
}

export interface Soak {
  readonly early: Footprint
  readonly late: Footprint
  readonly calls: number
  readonly seconds: number
  readonly failedShare: number
}

/** Makes `calls` calls; footprints are taken after `earlyCalls` of them and at the end, both when all is quiet. */
export async function soak(earlyCalls: number, calls: number): Promise<Soak> {
  const identity = await startIdentity()
  const backend = await startScriptedBackend()
  const gateway = await startGatewayProcess(
    { issuer: identity.issuer, backend: backend.url },
    {
      CALL_TIMEOUT_MS: String(DEADLINE_MS),
      LIMIT_READS_PER_MINUTE: '1000000',
      LIMIT_WRITES_PER_MINUTE: '1000000',
      LOG_LEVEL: 'error',
    },
  )
  const request = { issuer: identity.issuer, resource: GATEWAY, person: 'alice', password: PASSWORD }
  const call = callerOf(gateway.url, (await signIn(request)).accessToken)
  backend.answer((asked, res) => {
    // The memory of the test would grow otherwise.
    backend.asked.length = 0
    if (Math.random() < FAULT_SHARE) pick(FAULTS)(asked, res)
    else json(res, 200, asked.method === 'GET' ? TICKET_DETAIL : TICKET)
  })
  const footprint = async (): Promise<Footprint> => {
    await sleep(SETTLE_MS)
    return {
      rssBytes: rssBytes(gateway.pid()),
      sockets: socketsOf(gateway.pid()),
      timers: await gateway.metric('nodejs_active_resources{type="Timeout"}').catch(() => 0),
    }
  }
  try {
    const start = performance.now()
    const failedEarly = await run(call, earlyCalls)
    const early = await footprint()
    const failedLate = await run(call, calls - earlyCalls)
    const seconds = (performance.now() - start) / 1000
    const late = await footprint()
    return { early, late, calls, seconds, failedShare: (failedEarly + failedLate) / calls }
  } finally {
    await gateway.kill('SIGKILL')
    await backend.close()
    await identity.close()
  }
}

const FAULTS = [
  faults.reset,
  faults.resetAfterHalf,
  faults.hang,
  faults.withHtml(502),
  faults.withProblem(500),
  faults.ok('<html>'),
  faults.gzipped,
]

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}

/** Number of calls that failed; each answer is either a result or a failure of a known class. */
async function run(call: CallTool, count: number): Promise<number> {
  let left = count
  let failed = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (left-- > 0) {
        const { isError } = await call(left % 5 === 0 ? 'ticket_reopen' : 'ticket_get', { id: 'T-42' })
        if (isError) failed++
      }
    }),
  )
  return failed
}

function rssBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
