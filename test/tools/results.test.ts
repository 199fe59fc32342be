// What a success looks like, and what becomes of a reply that strays from the contract.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registry } from '../../src/tools/registry.ts'
import { ok } from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf } from '../support/gateway.ts'
import { TICKET } from '../support/scripted-backend.ts'
import { CALLS, success } from '../support/strict-client.ts'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
})
afterAll(() => desk.close())
beforeEach(() => {
  desk.backend.asked.length = 0
})

async function driftOf(tool: string): Promise<number> {
  const metric = await desk.gateway.gateway.metrics.registry
    .getSingleMetric('desk_gateway_backend_drift_total')
    ?.get()
  return (
    metric?.values.find(({ labels }) => labels['gen_ai_tool_name'] === `acme_desk__${tool}`)?.value ?? NaN
  )
}

/** That the reply is served, and counted as drift or not. */
async function servedAsDrift(tool: string, reply: unknown): Promise<Record<string, unknown>> {
  const before = await driftOf(tool)
  const { structuredContent = {} } = await success(desk, tool, reply)
  expect(await driftOf(tool)).toBe(before + 1)
  return structuredContent
}

describe.each(registry.map(({ name }) => name))('%s', (tool) => {
  it('gives the reply in both forms, valid by its schema (C23)', async () => {
    const [, reply] = CALLS[tool] ?? []
    const before = await driftOf(tool)
    const result = await success(desk, tool, reply)
    expect(result.structuredContent).toEqual(reply)
    expect(result).not.toHaveProperty('_meta')
    expect(await driftOf(tool)).toBe(before)
    expect(desk.backend.asked).toHaveLength(1)
  })

  it('gives only what clients were promised, at any depth', async () => {
    const [, reply] = CALLS[tool] ?? []
    expect(await servedAsDrift(tool, withExtraFields(reply))).toEqual(reply)
  })
})

describe('Nulls', () => {
  it('where the contract allows them are valid for a strict client (C20)', async () => {
    const { structuredContent } = await success(desk, 'ticket_reopen', TICKET)
    expect(structuredContent).toMatchObject({ assignee: null, closed_at: null, resolution: null })
  })

  it('elsewhere break the contract', async () => {
    desk.backend.answer(ok(JSON.stringify({ ...TICKET, subject: null })))
    const result = await desk.gateway.call('ticket_reopen', { id: 'T-42' }, desk.tokens.alice)
    expect(errorOf(result).code).toBe('wrong_shape')
  })
})

describe('A reply that drifts', () => {
  it.each([
    ['a date without zone', { created_at: '2026-03-02T09:15:00' }],
    ['an empty date', { updated_at: '' }],
    ['a date in words', { closed_at: 'yesterday' }],
    ['a status that is new', { status: 'waiting' }],
    ['a priority that is new', { priority: 'critical' }],
    ['more tags than there may be', { tags: Array.from({ length: 30 }, (_, index) => `t${index}`) }],
    ['an id of another form', { id: 'DESK-42' }],
    ['a subject longer than it may be', { subject: 'x'.repeat(300) }],
    ['a negative count', { comment_count: -1 }],
  ])('by %s is served as it is, and counted (C21)', async (_case, drift) => {
    expect(await servedAsDrift('ticket_reopen', { ...TICKET, ...drift })).toEqual({ ...TICKET, ...drift })
  })

  it('is told in the log with the request id and without ticket text', async () => {
    await success(desk, 'ticket_reopen', { ...TICKET, status: 'waiting' })
    const line = desk.gateway.logged().trimEnd().split('\n').at(-1) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ level: 40, drift: true, tool: 'acme_desk__ticket_reopen' })
    expect(line).not.toContain('Printer')
  })
})

describe('Digits', () => {
  it('of an id are kept, also beyond what a number can hold', async () => {
    const reply = { ...TICKET, id: 'T-9007199254740993' }
    const { structuredContent } = await success(desk, 'ticket_reopen', reply, { id: 'T-9007199254740993' })
    expect(structuredContent?.['id']).toBe('T-9007199254740993')
    expect(desk.backend.asked[0]?.url).toBe('/v1/tickets/T-9007199254740993/reopen')
  })

  it('of a number that nobody was promised do no harm', async () => {
    const text = JSON.stringify(TICKET).replace('{', '{"extra":123456789012345678901234567890,')
    expect(await servedAsDrift('ticket_reopen', text)).toEqual(TICKET)
  })
})

/** The same value with fields that the contract does not know in every object. */
function withExtraFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtraFields)
  if (value === null || typeof value !== 'object') return value
  const inner = Object.entries(value).map(([key, field]) => [key, withExtraFields(field)] as const)
  return { ...Object.fromEntries(inner), internal_note: 'SECRET', nested: { a: [1, { b: null }] } }
}
