// One write from the key to the answer, inside a transaction that the caller begins and ends.
import type { Kysely } from 'kysely'
import type { Answer, Change } from '../rules/change.ts'
import { ok, refuse } from '../rules/refusal.ts'
import type { Result } from '../rules/refusal.ts'
import { applyChange } from './apply-change.ts'
import type { IndexDocuments } from './apply-change.ts'
import { claimKey, keepAnswer } from './idempotency.ts'
import type { PersonWithRole } from '../../openapi/desk.gen.ts'
import type { Tables } from './schema.ts'
import type { WriteRequest, Written } from './store.ts'

/** Makes the caller known to the desk. */
export type KnowPeople = (db: Kysely<Tables>, people: readonly PersonWithRole[]) => Promise<void>

/** The transaction must be rolled back when the result is a refusal. */
export async function write<C extends Change>(
  db: Kysely<Tables>,
  { caller, view, now, key, requestId }: WriteRequest,
  decide: () => Promise<Result<C>>,
  indexDocuments: IndexDocuments,
  knowPeople: KnowPeople,
): Promise<Result<Written<C>>> {
  // First, because the key and the event refer to the person.
  await knowPeople(db, [caller])
  if (key !== undefined) {
    const claim = await claimKey(db, caller.id, key, now)
    if (claim.kind === 'other_request') return refuse({ kind: 'idempotency_key_reused' })
    // The fingerprint names the operation, so the stored answer has its type.
    if (claim.kind === 'repeat') return ok({ answer: JSON.parse(claim.answer) as Answer<C>, replayed: true })
  }
  const decision = await decide()
  if (!decision.ok) return decision
  const answer = await applyChange(db, decision.value, { view, requestId }, indexDocuments)
  if (key !== undefined) await keepAnswer(db, caller.id, key, JSON.stringify(answer))
  return ok({ answer, replayed: false, type: decision.value.type })
}
