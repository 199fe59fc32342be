// How a call is let in, as the runner sees it: permits from rate limits, and room in a bulkhead.
// Ports only: what is too much is decided elsewhere.
import type { Caller } from '../backend/caller.ts'

/** What a tool's calls are billed to. */
export type Budget = 'reads' | 'writes' | 'exports'

export type Permit =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'over_limit'; readonly retryAfterS: number }
  /** So far over the limit that the caller is told at HTTP level. */
  | {
      readonly kind: 'over_ceiling'
      readonly retryAfterS: number
      readonly budget: Budget
      readonly limitPerMinute: number
    }

/** Bills one call. Never rejects. */
export type TakePermit = (budget: Budget, caller: Caller) => Promise<Permit>

/** The client's own lane is full, that of all clients is, or the caller's signal ended the wait. */
export type Busy = 'client_busy' | 'overloaded' | 'left'

/** Whose lane a call takes, and whose budgets it is billed to: a client on behalf of a person. */
export function clientKey({ clientId, subject }: Caller): string {
  return `${clientId}\n${subject}`
}

/** Runs `run` when there is room for the client, at once or after a bounded wait; else says why not. */
export type Enter = <Result extends object>(
  client: string,
  signal: AbortSignal,
  run: () => Promise<Result>,
) => Promise<Result | Busy>
