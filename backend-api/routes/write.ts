// What all writes share: the idempotency key, and a rule that judges inside the store's transaction.
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { callerOf } from '../http/locals.ts'
import type { Caller } from '../rules/caller.ts'
import type { Change } from '../rules/change.ts'
import type { Result } from '../rules/refusal.ts'
import { viewOf } from '../rules/view.ts'
import type { DeskReads, IdempotencyKey, Written } from '../store/store.ts'
import type { RouteDependencies } from './dependencies.ts'

type Judge<C extends Change> = (desk: DeskReads, caller: Caller, now: Date) => Promise<Result<C>>

/** Sets Idempotency-Replayed on the response when the answer is that of an earlier request. */
export async function writeDesk<C extends Change>(
  { store, clock, metrics }: RouteDependencies,
  request: Request,
  response: Response,
  judge: Judge<C>,
): Promise<Result<Written<C>>> {
  const caller = callerOf(response)
  const now = clock()
  const key = keyOf(request, caller)
  const { requestId } = response.locals
  const written = await store.write<C>({ caller, view: viewOf(caller), now, key, requestId }, (desk) =>
    judge(desk, caller, now),
  )
  if (!written.ok) return written
  if (written.value.replayed) {
    response.set('Idempotency-Replayed', 'true')
    metrics.replayed()
  } else metrics.changed(written.value.type)
  return written
}

function keyOf(request: Request, caller: Caller): IdempotencyKey | undefined {
  const value = request.get('Idempotency-Key')
  return value === undefined ? undefined : { value, fingerprint: fingerprintOf(request, caller) }
}

// Bodies are flat, so sorting their keys makes equal requests equal text. The role is what a caller may see depends on:
// an answer that was stored for another one is not theirs.
function fingerprintOf(request: Request, { role }: Caller): string {
  const body = (request.body ?? {}) as Record<string, unknown>
  const path = request.path.replace(/\/$/, '')
  const text = `${role} ${request.method} ${path}\n${JSON.stringify(body, Object.keys(body).sort())}`
  return createHash('sha256').update(text).digest('base64url')
}
