// A reply that is not a success, as a failure. Only documents of our own contract are quoted; a foreign body never is.
import { z } from 'zod'
import type { Answer, Reply } from '../backend/reply.ts'
import type { Failure } from './failure.ts'
import { removeInvisible } from './invisible.ts'

/** What is quoted of a problem document (RFC 9457). */
const Problem = z.object({
  code: z.string().regex(/^[a-z_]{1,60}$/),
  detail: z.string().min(1).max(2_000),
  field: z.string().max(100).optional(),
  current_status: z.string().max(40).optional(),
})
type Problem = z.infer<typeof Problem>

/** How the call was made, as far as a failure depends on it. */
export interface Attempt {
  /** Set for writes: the key that went along. */
  readonly idempotencyKey: string | undefined
}

/** The failure behind a reply, or undefined for a 2xx answer. */
export function failureOf(reply: Reply, attempt: Attempt): Failure | undefined {
  const { idempotencyKey } = attempt
  switch (reply.kind) {
    case 'answer':
      return isSuccess(reply.status) ? undefined : failureOfStatus(reply, problemOf(reply), attempt)
    case 'unreadable':
      return isSuccess(reply.status)
        ? badReply('unreadable', 'its answer is too large or in an unknown encoding', attempt)
        : failureOfStatus(reply, undefined, attempt)
    case 'fault':
      if (!reply.sent) return { kind: 'backend_unavailable', code: 'not_reached' }
      if (idempotencyKey !== undefined) return { kind: 'outcome_unknown', code: reply.reason, idempotencyKey }
      return { kind: 'backend_unavailable', code: reply.reason }
    case 'breaker_open':
      return { kind: 'backend_unavailable', code: reply.kind, retryAfterS: reply.retryAfterS }
    case 'no_credential':
      return reply.reason === 'subject_refused'
        ? { kind: 'forbidden', code: reply.reason, detail: 'Your sign-in is no longer valid; sign in again.' }
        : { kind: 'backend_unavailable', code: reply.reason }
  }
}

export function badReply(code: string, detail: string, { idempotencyKey }: Attempt): Failure {
  return { kind: 'bad_backend_reply', code, detail, write: idempotencyKey !== undefined }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function failureOfStatus(
  { status, retryAfterS }: Pick<Answer, 'status' | 'retryAfterS'>,
  problem: Problem | undefined,
  attempt: Attempt,
): Failure {
  const { idempotencyKey } = attempt
  if (status === 404) return { kind: 'not_found', detail: problem?.detail ?? 'There is no such thing here.' }
  if (status === 403)
    return {
      kind: 'forbidden',
      code: problem?.code ?? 'forbidden',
      detail: problem?.detail ?? 'The ticket service refuses this to you.',
    }
  if (status === 409)
    return {
      kind: 'conflict',
      code: problem?.code ?? 'conflict',
      detail: problem?.detail ?? 'The ticket is in the wrong state for this.',
      currentStatus: problem?.current_status,
    }
  if (status === 429) return { kind: 'rate_limited', code: 'service_limit', retryAfterS }
  if (status === 400 || status === 413 || status === 422) return invalid(problem)
  if (status >= 300 && status < 400)
    return badReply('redirect', 'it redirects, and redirects are not followed', attempt)
  // Any other 4xx of the service says that the gateway built the request wrongly; one of a proxy says that it kept it.
  if (status >= 400 && status < 500 && status !== 408)
    return problem
      ? { kind: 'internal' }
      : { kind: 'backend_unavailable', code: `status_${status}`, retryAfterS }
  if (status !== 502 && status !== 503 && idempotencyKey !== undefined)
    return { kind: 'outcome_unknown', code: `status_${status}`, idempotencyKey }
  // 503 with a problem document is the service's own word that it did nothing; a proxy's page may hide a lost answer.
  const mayHaveHappened = problem === undefined || status !== 503
  return {
    kind: 'backend_unavailable',
    code: `status_${status}`,
    retryAfterS,
    ...(mayHaveHappened && { idempotencyKey }),
  }
}

function invalid(problem: Problem | undefined): Failure {
  const { field = 'arguments', detail = 'The ticket service refuses these arguments.' } = problem ?? {}
  const named = problem?.field === undefined || detail.includes(field)
  return {
    kind: 'invalid_arguments',
    faults: [{ field, problem: named ? detail : `${field}: ${detail}` }],
    ...(problem && { code: problem.code }),
  }
}

function problemOf(answer: Answer): Problem | undefined {
  if (answer.mediaType !== 'application/problem+json') return undefined
  try {
    const problem = Problem.parse(JSON.parse(answer.text))
    return { ...problem, detail: removeInvisible(problem.detail).text.replace(/\s+/g, ' ') }
  } catch {
    return undefined
  }
}
