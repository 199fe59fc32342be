// Repeats what may be repeated: reads, and writes that carry an idempotency key. Bounded in number, time and share.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from './reply.ts'

const MAX_ATTEMPTS = 3
const FIRST_DELAY_MS = 100
/** A longer wait is for the caller to decide on. */
const MAX_WAIT_MS = 2_000
/** A retry costs one; each call earns a part of one, so that retries stay a small share when everything fails. */
const EARNED_PER_CALL = 0.05
const MAX_SAVED = 10
const SAVED_AT_START = 5

const PROBLEM = 'application/problem+json'
/** Statuses of proxies and of a service that is not up: the request may fare better a little later. */
const TRANSIENT = new Set([502, 503, 504])

export interface Attempts {
  /** For writes only a reply that says so settles that nothing was done. */
  readonly isWrite: boolean
  readonly signal: AbortSignal
}

export type Retry = (send: () => Promise<Reply>, attempts: Attempts) => Promise<Reply>

/** `random` gives numbers from 0 to 1. What `send` gives is repeated where that is safe and promising; the reply that says most is returned. */
export function createRetry(random: () => number): Retry {
  let saved = SAVED_AT_START
  return async (send, { isWrite, signal }) => {
    saved = Math.min(MAX_SAVED, saved + EARNED_PER_CALL)
    let doubtful: Reply | undefined
    for (let attempt = 1; ; attempt++) {
      const reply = await send()
      if (leavesDoubt(reply) && doubtful?.kind !== 'fault') doubtful = reply
      const told = isWrite && doubtful && !settles(reply) ? doubtful : reply
      const delayMs = attempt < MAX_ATTEMPTS ? delayBefore(reply, attempt, random) : undefined
      if (delayMs === undefined || saved < 1) return told
      saved--
      await sleep(delayMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return told
    }
  }
}

/** Full jitter on an exponential delay, on top of what the service asked for; undefined when repeating is no use. */
function delayBefore(reply: Reply, attempt: number, random: () => number): number | undefined {
  const jitterMs = random() * FIRST_DELAY_MS * 2 ** (attempt - 1)
  if (reply.kind === 'fault') return reply.reason === 'connection' ? jitterMs : undefined
  if (reply.kind !== 'answer' && reply.kind !== 'unreadable') return undefined
  const asked = reply.retryAfterS === undefined ? undefined : reply.retryAfterS * 1000
  if (asked !== undefined && asked > MAX_WAIT_MS) return undefined
  if (TRANSIENT.has(reply.status)) return (asked ?? 0) + jitterMs
  return reply.status === 429 && asked !== undefined ? asked + jitterMs : undefined
}

/** Whether a write may have been carried out behind this reply. */
function leavesDoubt(reply: Reply): boolean {
  if (reply.kind === 'fault') return reply.sent
  // 503 with a problem document is the service's own word that it did nothing.
  const refused = reply.kind === 'answer' && reply.status === 503 && reply.mediaType === PROBLEM
  return 'status' in reply && reply.status >= 500 && !refused
}

/** Whether the service has said what became of a write that was repeated with its key. */
function settles(reply: Reply): boolean {
  return 'status' in reply && reply.status < 500 && ![401, 408, 429].includes(reply.status)
}
