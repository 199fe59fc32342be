// Is this the person's password? Attempts are limited per account and per address. Knows no HTTP.

import pLimit from 'p-limit'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import type { IdentityState } from '../store/identity-state.ts'
import type { FindPerson } from './accounts.ts'
import { NOBODYS_PASSWORD, verifyPassword } from './password.ts'
import { createRate } from './rate.ts'

const WINDOW_MS = 5 * 60_000
const FAILURES_PER_ACCOUNT_MAX = 10
const FAILURES_PER_ADDRESS_MAX = 30
// Each takes 32 MiB and a thread.
const CHECKS_AT_ONCE_MAX = 2
const CHECKS_WAITING_MAX = 50
const BUSY_MS = 5_000

export type Authentication =
  | { readonly kind: 'known'; readonly person: PersonWithRole }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too_many'; readonly retryAfter_ms: number }

export type AuthenticatePerson = (id: string, password: string, address: string) => Promise<Authentication>

export interface AuthenticateOptions {
  readonly state: IdentityState
  readonly findPerson: FindPerson
  /** The time in milliseconds. */
  readonly now: () => number
}

/** An unknown person and a wrong password look alike, in the time they take too. */
export function createAuthenticator({ state, findPerson, now }: AuthenticateOptions): AuthenticatePerson {
  const accounts = createRate({ max: FAILURES_PER_ACCOUNT_MAX, window_ms: WINDOW_MS, now })
  const addresses = createRate({ max: FAILURES_PER_ADDRESS_MAX, window_ms: WINDOW_MS, now })
  const checks = pLimit(CHECKS_AT_ONCE_MAX)

  return async (id, password, address) => {
    const wait_ms = Math.max(accounts.waitOf(id), addresses.waitOf(address))
    if (wait_ms > 0) return { kind: 'too_many', retryAfter_ms: wait_ms }
    if (checks.pendingCount >= CHECKS_WAITING_MAX) return { kind: 'too_many', retryAfter_ms: BUSY_MS }
    // Counted before anything waits, or attempts side by side would all pass.
    accounts.add(id)
    addresses.add(address)

    const [person, hash] = await Promise.all([findPerson(id), state.findPasswordHash(id)])
    const right = await checks(() => verifyPassword(password, hash ?? NOBODYS_PASSWORD))
    if (!person || hash === undefined || !right) return { kind: 'wrong' }
    accounts.forget(id)
    // Only this attempt: who has one account may not guess at the others without end.
    addresses.takeBack(address)
    return { kind: 'known', person }
  }
}
