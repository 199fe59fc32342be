// Calls of tools as the strictest of clients makes them: every success is checked against what was promised.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { ok } from './backend-faults.ts'
import { entryOf } from './catalogue.ts'
import type { FaultyDesk } from './faulty-desk.ts'
import { textOf, type CallResult } from './gateway.ts'
import { TICKET, TICKET_DETAIL, ticketSummary } from './scripted-backend.ts'

export const COMMENT = {
  id: 'C-7',
  author: { id: 'alice', name: 'Alice Novak', role: 'staff' },
  body: 'Please try again.',
  visibility: 'public',
  created_at: '2026-03-02T10:00:00.000Z',
}
export const PAGE = { tickets: [ticketSummary(1), ticketSummary(2)], total: 2, next_cursor: null }
export const EXPORT = { tickets: [{ ...TICKET_DETAIL, comments: [COMMENT] }], total: 1, next_cursor: 'abc' }

/** Arguments and a faithful reply of each tool. */
export const CALLS: Record<string, readonly [Record<string, unknown>, unknown]> = {
  tickets_search: [{ query: 'printer' }, PAGE],
  ticket_get: [{ id: 'T-42' }, { ...TICKET_DETAIL, comments: [COMMENT] }],
  ticket_create: [
    { subject: 'a', body: 'b' },
    { ticket: TICKET, created: true },
  ],
  ticket_comment: [{ id: 'T-42', body: 'a' }, COMMENT],
  ticket_close: [
    { id: 'T-42', resolution: 'a' },
    { ...TICKET, status: 'closed', resolution: 'a' },
  ],
  ticket_reopen: [{ id: 'T-42' }, TICKET],
  ticket_assign: [
    { id: 'T-42', assignee: 'bob' },
    { ...TICKET, assignee: { id: 'bob', name: 'Bob' } },
  ],
  desk_export: [{}, EXPORT],
}

/** The result for a reply, which must be one that a strict client accepts. */
export async function success(
  desk: FaultyDesk,
  tool: string,
  reply: unknown,
  args = CALLS[tool]?.[0] ?? {},
): Promise<CallResult> {
  const body = typeof reply === 'string' ? reply : JSON.stringify(reply)
  desk.backend.answer(ok(body))
  const token = tool === 'desk_export' ? desk.tokens.dave : desk.tokens.alice
  const result = await desk.gateway.call(tool, args, token)
  expect(result.isError, textOf(result)).toBeUndefined()
  expect(faultsOf(tool, result.structuredContent)).toEqual([])
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent)
  return result
}

/** Faults by the published schema, as a client finds them that also checks formats. */
function faultsOf(tool: string, value: unknown): readonly unknown[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  addFormats.default(ajv)
  const validate = ajv.compile(JSON.parse(JSON.stringify(entryOf(tool).wire.outputSchema)) as object)
  return validate(value) ? [] : (validate.errors ?? [])
}
