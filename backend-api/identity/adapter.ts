// How oidc-provider keeps its models in the desk's store. The id of a token, a code or a session is the secret itself,
// so the store sees its digest only: whoever reads the database can use none of them.

import { createHash } from 'node:crypto'
import { errors, type Adapter, type AdapterFactory, type AdapterPayload } from 'oidc-provider'
import type { FoundEntry, IdentityState } from '../store/identity-state.ts'
import type { FindDocumentClient } from './metadata-document.ts'

const UNUSED_CLIENT_LIFETIME_S = 24 * 3600

export interface AdapterOptions {
  readonly state: IdentityState
  readonly clock: () => Date
  /** Clients that are described at their own id. */
  readonly findDocumentClient: FindDocumentClient
}

/** A registered client that nobody has signed in through goes after a day; a grant keeps it as long as itself. */
export function createAdapter({ state, clock, findDocumentClient }: AdapterOptions): AdapterFactory {
  const after = (seconds: number) => new Date(clock().getTime() + seconds * 1000)

  return (model): Adapter => ({
    async upsert(id, whole, lifetime_s = UNUSED_CLIENT_LIFETIME_S) {
      const payload = withoutSecrets(whole)
      const { grantId, uid, clientId } = payload
      const entry = { model, id: digest(id), payload: JSON.stringify(payload), expiresAt: after(lifetime_s) }
      const accountId = accountOf(payload) ?? null
      await state.put({ ...entry, grantId: grantId ?? null, uid: uid ?? null, accountId }, clock())
      if (model === 'Grant' && clientId !== undefined)
        await state.extend('Client', digest(clientId), entry.expiresAt)
    },
    async find(id) {
      const payload = read(await state.find(model, digest(id), clock()))
      if (model === 'Client') return payload ?? (await findDocumentClient(id))
      return payload && { ...payload, jti: id }
    },
    findByUid: async (uid) => read(await state.findByUid(model, uid, clock())),
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      if (await state.consume(model, digest(id), clock())) return
      // The second of two at the same moment: one of them was not meant to have it (OAuth 2.1 section 4.3.1).
      const { grantId } = read(await state.find(model, digest(id), clock())) ?? {}
      if (grantId !== undefined) {
        await state.remove('Grant', digest(grantId))
        await state.removeByGrant(grantId)
      }
      throw new errors.InvalidGrant(`${model} already used`)
    },
    destroy: (id) => state.remove(model, digest(id)),
    revokeByGrantId: (grantId) => state.removeByGrant(grantId, model),
  })
}

/** Who an entry belongs to. A sign-in that is under way says it in its result, or in the session it began with. */
function accountOf({ accountId, result, session }: AdapterPayload): string | undefined {
  return accountId ?? result?.login?.accountId ?? session?.accountId
}

/** An interaction also remembers the cookie of its session, which nothing reads. */
function withoutSecrets({ ...payload }: AdapterPayload): AdapterPayload {
  delete payload.jti
  if (payload.session) {
    payload.session = { ...payload.session }
    delete payload.session.cookie
  }
  return payload
}

function read(entry: FoundEntry | undefined): AdapterPayload | undefined {
  if (!entry) return undefined
  const payload = JSON.parse(entry.payload) as AdapterPayload
  return entry.consumedAt ? { ...payload, consumed: entry.consumedAt.getTime() / 1000 } : payload
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
