// The closed union of ways in which a call can fail, and the one switch that puts each into words for a model.
import type { ArgumentFault } from './arguments.ts'

export type Failure =
  | { readonly kind: 'unknown_tool'; readonly name: string; readonly nearest: readonly string[] }
  | { readonly kind: 'invalid_arguments'; readonly faults: readonly ArgumentFault[]; readonly code?: string }
  | { readonly kind: 'not_found'; readonly detail: string }
  | { readonly kind: 'forbidden'; readonly detail: string; readonly code: string }
  | {
      readonly kind: 'conflict'
      readonly code: string
      readonly detail: string
      readonly currentStatus: string | undefined
    }
  | {
      readonly kind: 'rate_limited'
      readonly code: 'over_limit' | 'client_busy' | 'service_limit'
      readonly retryAfterS: number | undefined
    }
  | {
      readonly kind: 'backend_unavailable'
      readonly code: string
      readonly retryAfterS?: number | undefined
      /** For a write that may have reached the service: the key that makes a repeat safe. */
      readonly idempotencyKey?: string | undefined
    }
  | { readonly kind: 'outcome_unknown'; readonly code: string; readonly idempotencyKey: string }
  | {
      readonly kind: 'bad_backend_reply'
      readonly code: string
      readonly detail: string
      readonly write: boolean
    }
  | { readonly kind: 'internal' }

export type FailureClass = Failure['kind']

/** A failure in words (`sentence` what happened, `next` what to do) and for programs. */
export interface FailureReport {
  readonly class: FailureClass
  readonly code: string
  readonly retryable: boolean
  readonly sentence: string
  readonly next: string
  readonly field?: string
  readonly retryAfterS?: number
}

/** `wireName` gives a tool's full name; it is what the model can call. */
export function report(failure: Failure, wireName: (tool: string) => string): FailureReport {
  return {
    class: failure.kind,
    code: 'code' in failure && failure.code ? failure.code : failure.kind,
    ...words(failure, wireName),
  }
}

function words(failure: Failure, wireName: (tool: string) => string): Omit<FailureReport, 'class' | 'code'> {
  const lookUp = `${wireName('ticket_get')} or ${wireName('tickets_search')}`
  switch (failure.kind) {
    case 'unknown_tool': {
      const names =
        failure.nearest.length > 0
          ? `The nearest tools are: ${failure.nearest.join(', ')}.`
          : 'tools/list has the names.'
      const sentence = `There is no tool with the name "${failure.name}".`
      return { retryable: false, sentence, next: `Stop calling it. ${names}` }
    }
    case 'invalid_arguments': {
      const sentence = failure.faults.map((fault) => fault.problem.replace(/\.$/, '')).join('; ') + '.'
      const field = failure.faults[0]?.field
      return { retryable: true, sentence, next: nextForArguments(failure, wireName), ...(field && { field }) }
    }
    case 'not_found':
      return {
        retryable: false,
        sentence: failure.detail,
        next: `Check the id; ${wireName('tickets_search')} finds the tickets that you may see.`,
      }
    case 'forbidden':
      return {
        retryable: false,
        sentence: failure.detail,
        next: 'Do not repeat it; ask a person who may do this.',
      }
    case 'conflict':
      return {
        retryable: false,
        sentence: failure.detail,
        next: nextForState(failure.currentStatus, wireName),
      }
    case 'rate_limited': {
      const next = `${wait(failure.retryAfterS)}, then call again.`
      return { retryable: true, sentence: 'Too many calls.', next, ...seconds(failure.retryAfterS) }
    }
    case 'backend_unavailable': {
      const sentence = 'The ticket service cannot be used at the moment.'
      return { retryable: true, sentence, next: nextForUnavailable(failure), ...seconds(failure.retryAfterS) }
    }
    case 'outcome_unknown':
      return {
        retryable: true,
        sentence: 'The request was sent and no clear answer came: it may or may not have been carried out.',
        next: `Check with ${lookUp} first. To repeat it safely, ${withKey(failure.idempotencyKey)}.`,
      }
    case 'bad_backend_reply': {
      const next = failure.write
        ? `It may have been carried out: check with ${lookUp} before you do it again. Report it with the request id.`
        : 'Do not repeat it; report it with the request id.'
      return { retryable: false, sentence: `The ticket service broke its contract: ${failure.detail}.`, next }
    }
    case 'internal': {
      const next = 'Do not repeat it; report it with the request id.'
      return { retryable: false, sentence: 'The gateway failed on this call.', next }
    }
  }
}

type Of<Kind extends FailureClass> = Extract<Failure, { kind: Kind }>

function nextForArguments(failure: Of<'invalid_arguments'>, wireName: (tool: string) => string): string {
  if (failure.code === 'invalid_cursor')
    return 'Leave the cursor out to start at the first page again, and pass next_cursor on unchanged with the same filter.'
  if (failure.code === 'idempotency_key_reused')
    return `To repeat the first request send exactly its arguments; for a new one choose another idempotency_key. ${wireName('tickets_search')} shows what exists.`
  return 'Correct the arguments and call again.'
}

function nextForState(status: string | undefined, wireName: (tool: string) => string): string {
  if (status === undefined) return `Look at it with ${wireName('ticket_get')} first.`
  const changer = wireName(status === 'closed' ? 'ticket_reopen' : 'ticket_close')
  return `Its status is ${status}; staff change that with ${changer}. Do not repeat this call as it is.`
}

function nextForUnavailable({ retryAfterS, idempotencyKey }: Of<'backend_unavailable'>): string {
  const later = `${wait(retryAfterS)}, then try again`
  return idempotencyKey === undefined
    ? `Nothing was changed. ${later}.`
    : `${later}; ${withKey(idempotencyKey)}.`
}

function seconds(retryAfterS: number | undefined): { retryAfterS?: number } {
  return retryAfterS === undefined ? {} : { retryAfterS }
}

function wait(seconds: number | undefined): string {
  return seconds === undefined ? 'Wait a little' : `Wait ${seconds} second${seconds === 1 ? '' : 's'}`
}

function withKey(key: string): string {
  return `send the same arguments with idempotency_key "${key}", so that it is done only once`
}
