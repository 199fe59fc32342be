import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'
import { ok, refuse } from './refusal.ts'
import type { Result, StaffAction } from './refusal.ts'

/** What concerns the desk as a whole is for those who run it. */
export function permitStaff(action: StaffAction, caller: Caller): Result<true> {
  return runsDesk(caller) ? ok(true) : refuse({ kind: 'staff_only', action })
}

/** Only administrators take everything with them. */
export function permitExport(caller: Caller): Result<true> {
  return caller.role === 'admin' ? ok(true) : refuse({ kind: 'administrators_only' })
}
