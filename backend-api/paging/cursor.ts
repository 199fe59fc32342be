// Opaque places in a list. A cursor proves that this service gave it to this caller for this list and filter.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../rules/caller.ts'

const LIFETIME_MS = 24 * 3_600_000
const MAC_BYTES = 16
const CLOCK_STEP_BACK_MS = 60_000

/** What a cursor belongs to; `filter` is compared by value, whatever the order of its properties. */
export interface CursorScope {
  readonly list: 'tickets' | 'comments' | 'export'
  readonly caller: Caller
  readonly filter: Readonly<Record<string, string | undefined>>
}

export interface Cursors {
  /** The cursor (base64url) for the rows after `key`. */
  seal(scope: CursorScope, key: string): string
  /** The key inside; undefined for a cursor that is foreign, altered or older than a day. */
  open(scope: CursorScope, cursor: string): string | undefined
}

/** `secret` signs the cursors: replicas share it, and a new one ends all cursors in use. */
export function createCursors(secret: string, clock: () => Date): Cursors {
  const macOf = (payload: Buffer, scope: CursorScope) =>
    createHmac('sha256', secret)
      .update(bindingOf(scope))
      .update('\n')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES)

  return {
    seal: (scope, key) => {
      const payload = Buffer.from(`${key} ${clock().getTime()}`)
      return Buffer.concat([macOf(payload, scope), payload]).toString('base64url')
    },
    open: (scope, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      // Several spellings decode to the same bytes; only ours is ours.
      if (bytes.toString('base64url') !== cursor || bytes.length <= MAC_BYTES) return undefined
      const payload = bytes.subarray(MAC_BYTES)
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(payload, scope))) return undefined
      const [key, issuedAt] = payload.toString().split(' ')
      const age = clock().getTime() - Number(issuedAt)
      return age <= LIFETIME_MS && age >= -CLOCK_STEP_BACK_MS ? key : undefined
    },
  }
}

function bindingOf({ list, caller, filter }: CursorScope): string {
  const conditions = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([list, caller.id, caller.role, conditions])
}
