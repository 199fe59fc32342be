import { expect, test } from 'vitest'
import type { Caller } from '../../backend-api/rules/caller.ts'
import { ok } from '../../backend-api/rules/refusal.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'

const NOW = new Date('2026-03-02T09:00:00.000Z')
const DAVE = { id: 'dave', name: 'Dave Moreau' }
/** What an old token still says. */
const caller = (id: string, name: string): Caller => ({
  id,
  name,
  role: 'admin',
  scopes: new Set(),
  clientId: 'c',
})

/** Dave has been made a customer; then a write comes in with a token from before, and one of a stranger. */
async function rolesAfterWrites(peopleAuthority: 'desk' | 'issuer') {
  const store = await openSqliteStore(':memory:', { peopleAuthority })
  await store.load([{ ...DAVE, role: 'customer' }], [], 'test')
  for (const writer of [caller('dave', DAVE.name), caller('zoe', 'Zoe Lind')]) {
    await store.write(
      { caller: writer, view: { internal: true }, now: NOW, key: undefined, requestId: 'request-1' },
      () =>
        Promise.resolve(
          ok({
            type: 'ticket_created' as const,
            subject: 'Printer',
            body: 'Off.',
            priority: 'low' as const,
            tags: [],
            actorId: writer.id,
            clientId: 'c',
            at: NOW.toISOString(),
          }),
        ),
    )
  }
  const roles = [await store.findPerson('dave'), await store.findPerson('zoe')].map((one) => one?.role)
  await store.close()
  return roles
}

test('where the desk says who people are, a write with an old token undoes no demotion', async () => {
  expect(await rolesAfterWrites('desk')).toEqual(['customer', 'admin'])
})

test("where somebody else's issuer does, a write takes over what its token says", async () => {
  expect(await rolesAfterWrites('issuer')).toEqual(['admin', 'admin'])
})
