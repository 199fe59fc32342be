import type { Caller } from './caller.ts'
import { runsDesk } from './caller.ts'

/** Whose eyes a read has: internal comments exist for those who run the desk only. */
export interface View {
  readonly internal: boolean
}

export function viewOf(caller: Caller): View {
  return { internal: runsDesk(caller) }
}
