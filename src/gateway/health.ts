// For orchestrators and balancers; outside the Host check, because probes come with the address of a pod.
import type { RequestHandler } from 'express'
import { waitUntil } from '../backend/wait-until.ts'

const PROBE_TIMEOUT_MS = 2_000

/** Alive as long as the process answers, whatever the backend does. */
export const healthz: RequestHandler = (_req, res) => {
  res.json({ status: 'ok' })
}

export interface ReadinessChecks {
  /** Each says whether that part can be used. */
  readonly parts: Readonly<Record<string, (signal: AbortSignal) => Promise<boolean>>>
  readonly draining: () => boolean
}

/** 200 when calls can be served; else 503 that names what is not ready. */
export function readyz({ parts, draining }: ReadinessChecks): RequestHandler {
  return async (_req, res) => {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    const results = await Promise.all(
      Object.entries(parts).map(
        async ([part, ready]) =>
          [
            part,
            (await waitUntil(
              ready(signal).catch(() => false),
              signal,
            )) ?? false,
          ] as const,
      ),
    )
    const notReady = results.filter(([, ready]) => !ready).map(([part]) => part)
    if (draining()) notReady.push('shutting down')
    if (notReady.length === 0) res.json({ status: 'ok' })
    else res.status(503).json({ status: 'not ready', not_ready: notReady })
  }
}
