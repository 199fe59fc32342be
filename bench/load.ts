// Load for one process, and what that process pays for it in CPU time.
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** Clock ticks per second of /proc; fixed at 100 on Linux. */
const TICKS_PER_S = 100
const CONNECTIONS = 32

export interface LoadRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: string
  /** Must occur in every answer, so that only real answers are counted. */
  readonly expect: string
}

export interface Load {
  readonly calls: number
  readonly callsPerS: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the process, user and system, per call. */
  readonly cpuMicros: number
}

/** Sends the request over and over on 32 keep-alive connections. Throws at the first answer that is not 200 or lacks `expect`. */
export async function load(request: LoadRequest, pid: number, seconds: number): Promise<Load> {
  const pool = new Pool(request.url.origin, { connections: CONNECTIONS })
  const latencies: number[] = []
  const before = cpuSeconds(pid)
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        const sent = performance.now()
        const { statusCode, body } = await pool.request({
          path: request.url.pathname,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        })
        const text = await body.text()
        if (statusCode !== 200 || !text.includes(request.expect))
          throw new Error(`${request.url.href} answered ${statusCode}: ${text.slice(0, 200)}`)
        latencies.push(performance.now() - sent)
      }
    }),
  )
  const elapsedS = (performance.now() - start) / 1000
  const cpuS = cpuSeconds(pid) - before
  await pool.close()
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  return {
    calls: latencies.length,
    callsPerS: latencies.length / elapsedS,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMicros: (cpuS * 1_000_000) / latencies.length,
  }
}

/** User and system time of a process so far (proc(5), fields 14 and 15). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
}
