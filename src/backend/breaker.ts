// A circuit breaker in front of the service: while it is plainly broken, calls fail at once and it is left in peace.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  CountBreaker,
  handleType,
  type CircuitBreakerPolicy,
} from 'cockatiel'
import type { Reply } from './reply.ts'

/** Opens when half of the last forty requests failed; fewer than twenty say nothing yet. */
const SAMPLE = { threshold: 0.5, size: 40, minimumNumberOfCalls: 20 }
/** Then one request at a time tries whether the service is back. */
const OPEN_MS = 2_000
/** Everybody is refused meanwhile: a trial that takes longer has failed, and the next one may begin. */
const TRIAL_MS = 5_000

export type Breaker = (send: () => Promise<Reply>) => Promise<Reply>

/** `onOpen` is told when it opens and when it closes again; a trial that fails is neither. */
export function createBreaker(onOpen: (open: boolean) => void): Breaker {
  let isOpen = false
  const policy: CircuitBreakerPolicy = circuitBreaker(
    // A caller who went away says nothing about the service, unless everybody waits for that one request.
    handleType(CallerLeft, () => policy.state === CircuitState.HalfOpen).orWhenResult(isFault),
    { halfOpenAfter: OPEN_MS, breaker: new CountBreaker(SAMPLE) },
  )
  policy.onBreak(() => {
    // Told of every trial, the time at which it opened would be lost among the lines of a long outage.
    if (isOpen) return
    isOpen = true
    onOpen(true)
  })
  policy.onReset(() => {
    isOpen = false
    onOpen(false)
  })
  return async (send) => {
    // The library would let everybody wait for the outcome of the trial.
    if (policy.state === CircuitState.HalfOpen) return OPEN
    const isTrial = policy.state !== CircuitState.Closed
    let sent: Promise<Reply> = Promise.resolve(OPEN)
    try {
      const reply = await policy.execute(async () => {
        sent = send()
        const first = isTrial
          ? await Promise.race([sent, sleep(TRIAL_MS, HANGS, { ref: false })])
          : await sent
        if (first.kind === 'fault' && first.reason === 'cancelled') throw new CallerLeft(first)
        return first
      })
      // Its own caller may wait longer.
      return reply === HANGS ? await sent : reply
    } catch (error) {
      if (error instanceof BrokenCircuitError) return OPEN
      if (error instanceof CallerLeft) return error.reply
      throw error
    }
  }
}

const OPEN: Reply = { kind: 'breaker_open', retryAfterS: OPEN_MS / 1000 }
const HANGS: Reply = { kind: 'fault', sent: true, reason: 'timeout' }

class CallerLeft extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super()
    this.reply = reply
  }
}

/** Statuses of 4xx are answers of a service that works. */
function isFault(reply: unknown): boolean {
  const { kind, status } = reply as Reply & { status?: number }
  return kind === 'fault' || (status !== undefined && status >= 500)
}
