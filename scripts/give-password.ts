// On the local desk all people have one password: random, made once, and kept where only its owner can read it.

import { randomBytes } from 'node:crypto'
import { hashPassword } from '../backend-api/identity/password.ts'
import type { ScryptCost } from '../backend-api/identity/password.ts'
import { PEOPLE } from '../backend-api/seed/people.ts'
import type { IdentityState } from '../backend-api/store/identity-state.ts'

/** The people must be known to the desk already. */
export async function givePassword(state: IdentityState, password: string, cost?: ScryptCost): Promise<void> {
  const hash = await hashPassword(password, randomBytes(16), cost)
  for (const { id } of PEOPLE) await state.savePasswordHash(id, hash)
}
