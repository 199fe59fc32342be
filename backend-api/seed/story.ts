// A ticket as a person would tell it: who wrote what, without dates. When it happened is for schedule.ts to say.

import type { Priority } from '../../openapi/desk.gen.ts'

export type Requester = 'carol' | 'erin'
export type Staff = 'alice' | 'bob'

export interface Story {
  readonly subject: string
  readonly body: string
  readonly requester: Requester
  /** Left out: nobody works on it. */
  readonly assignee?: Staff
  /** Left out: normal. */
  readonly priority?: Priority
  readonly tags: readonly string[]
  /** The comments in order; internal ones are for staff only. */
  readonly talk?: readonly (readonly [by: Requester | Staff, says: string, visibility?: 'internal'])[]
  /** There is one when the ticket is closed. */
  readonly resolution?: string
}
