// What a rule may refuse, and the result of a rule. Knows nothing of HTTP.
import type { PersonWithRole } from '../../openapi/desk.gen.ts'

export type StaffAction =
  | 'close a ticket'
  | 'reopen a ticket'
  | 'assign a ticket'
  | 'write an internal comment'
  | 'list the people'
  | 'follow the events'

/** Every business reason to say no. Adding one does not compile until `problem.ts` maps it. */
export type Refusal =
  | { readonly kind: 'ticket_not_found' }
  | { readonly kind: 'staff_only'; readonly action: StaffAction }
  | { readonly kind: 'administrators_only' }
  | { readonly kind: 'not_open'; readonly action: 'close' | 'assign' }
  | { readonly kind: 'not_closed' }
  | { readonly kind: 'closed_to_comments' }
  | {
      readonly kind: 'assignee_not_staff'
      readonly assignee: string
      readonly staff: readonly PersonWithRole[]
    }
  | { readonly kind: 'idempotency_key_reused' }

export type Result<Value, Reason = Refusal> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Reason }

export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

export function refuse<Reason = Refusal>(refusal: Reason): { readonly ok: false; readonly refusal: Reason } {
  return { ok: false, refusal }
}
