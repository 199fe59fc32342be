// Each hint of each tool is a claim; here the claim is put to the running desk.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registry } from '../../src/tools/registry.ts'
import { databaseDigest } from '../support/database.ts'
import { startDesk, type Desk } from '../support/desk.ts'
import { callerOf, type CallTool } from '../support/mcp-calls.ts'

let desk: Desk
let dave: CallTool
beforeAll(async () => {
  desk = await startDesk({ tickets: 60 })
  dave = callerOf(desk.url, await desk.token('dave'))
})
afterAll(() => desk.close())

/** Valid arguments for each tool, so that none can pass by being refused. */
const ARGUMENTS: Record<string, () => Record<string, unknown> | Promise<Record<string, unknown>>> = {
  tickets_search: () => ({ query: 'printer' }),
  ticket_get: () => ({ id: 'T-1' }),
  ticket_create: () => ({ subject: 'A new one', body: 'With a body.' }),
  ticket_comment: async () => ({ id: await file(), body: 'A comment.' }),
  ticket_close: async () => ({ id: await file(), resolution: 'Solved.' }),
  ticket_reopen: async () => {
    const id = await file()
    await dave('ticket_close', { id, resolution: 'Solved.' })
    return { id }
  },
  ticket_assign: async () => ({ id: await file(), assignee: 'bob' }),
  desk_export: () => ({}),
}

async function file(): Promise<string> {
  const created = await dave('ticket_create', { subject: 'To work on', body: 'A body.' })
  return (created.structuredContent as { ticket: { id: string } }).ticket.id
}

const digest = () => databaseDigest(desk.environment.databasePath)

describe.each(registry)('$name', ({ name, annotations }) => {
  const { readOnlyHint, idempotentHint, destructiveHint, openWorldHint } = annotations

  it(readOnlyHint ? 'is read-only: the database is as it was' : 'writes: the database changes', async () => {
    const args = await ARGUMENTS[name]?.()
    const before = digest()
    const result = await dave(name, args ?? {})
    expect(result.isError).toBeUndefined()
    if (readOnlyHint) expect(digest()).toBe(before)
    else expect(digest()).not.toBe(before)
  })

  it(
    idempotentHint
      ? 'is idempotent: a second call changes nothing'
      : 'is not idempotent: a second call is another one or is refused',
    async () => {
      const args = (await ARGUMENTS[name]?.()) ?? {}
      const first = await dave(name, args)
      const before = digest()
      const second = await dave(name, args)
      if (idempotentHint) {
        expect(digest()).toBe(before)
        expect(second.structuredContent).toEqual(first.structuredContent)
      } else expect(second.isError === true || digest() !== before).toBe(true)
    },
  )

  it('destroys nothing and stays inside the desk', () => {
    expect([destructiveHint, openWorldHint]).toEqual([false, false])
  })
})
