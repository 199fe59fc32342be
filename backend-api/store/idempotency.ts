// Idempotency keys in the SQL that SQLite and PostgreSQL share. The unique index decides who is first.
import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'
import type { IdempotencyKey } from './store.ts'

const KEY_LIFETIME_MS = 24 * 3_600_000
const PURGED_PER_CLAIM = 10

/** What a key stands for: nothing yet, an earlier answer (JSON), or another request. */
export type Claim =
  | { readonly kind: 'first' }
  | { readonly kind: 'repeat'; readonly answer: string }
  | { readonly kind: 'other_request' }

/** Inside the transaction of the write: takes the key unless it is taken; an expired one is free. */
export async function claimKey(
  db: Kysely<Tables>,
  callerId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<Claim> {
  const fresh = {
    fingerprint: key.fingerprint,
    answer: null,
    expires_at: new Date(now.getTime() + KEY_LIFETIME_MS).toISOString(),
  }
  const taken = await db
    .insertInto('idempotency_keys')
    .values({ caller_id: callerId, key: key.value, ...fresh })
    .onConflict((held) =>
      held
        .columns(['caller_id', 'key'])
        .doUpdateSet(fresh)
        .where('idempotency_keys.expires_at', '<=', now.toISOString()),
    )
    .returning('key')
    .executeTakeFirst()
  if (taken !== undefined) {
    await purgeExpired(db, now)
    return { kind: 'first' }
  }
  const held = await db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'answer'])
    .where('caller_id', '=', callerId)
    .where('key', '=', key.value)
    .executeTakeFirstOrThrow()
  if (held.fingerprint !== key.fingerprint || held.answer === null) return { kind: 'other_request' }
  return { kind: 'repeat', answer: held.answer }
}

/** Stores the answer (JSON) for repeats of the request. */
export async function keepAnswer(
  db: Kysely<Tables>,
  callerId: string,
  key: IdempotencyKey,
  answer: string,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer })
    .where('caller_id', '=', callerId)
    .where('key', '=', key.value)
    .execute()
}

// A few at a time, so that no single request pays for a day of them.
async function purgeExpired(db: Kysely<Tables>, now: Date): Promise<void> {
  const expired = await db
    .selectFrom('idempotency_keys')
    .select(['caller_id', 'key'])
    .where('expires_at', '<=', now.toISOString())
    .orderBy('expires_at')
    .limit(PURGED_PER_CLAIM)
    .execute()
  for (const { caller_id, key } of expired) {
    await db
      .deleteFrom('idempotency_keys')
      .where('caller_id', '=', caller_id)
      .where('key', '=', key)
      .execute()
  }
}
