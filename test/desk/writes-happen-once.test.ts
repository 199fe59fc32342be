import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDesk, type Desk } from '../support/desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { callerOf, type CallTool } from '../support/mcp-calls.ts'
import { startSwallowingProxy, type SwallowingProxy } from '../support/swallowing-proxy.ts'

let desk: Desk
let road: SwallowingProxy
let alice: CallTool
beforeAll(async () => {
  road = await startSwallowingProxy()
  desk = await startDesk({
    gateway: ({ serviceUrl }) => {
      road.target = new URL(serviceUrl).origin
      return { BACKEND_URL: `${road.origin}/v1`, BACKEND_AUDIENCE: serviceUrl, CALL_TIMEOUT_MS: '1500' }
    },
  })
  alice = callerOf(desk.url, await desk.token('alice'))
})
afterAll(async () => {
  await desk.close()
  await road.close()
})

const TICKET = { subject: 'Badge does not open the door', body: 'Since Monday.' }

async function totalOf(query: string): Promise<number> {
  const found = await alice('tickets_search', { query })
  return (found.structuredContent as { total: number }).total
}

describe('an idempotency key', () => {
  it('of fifty creates at once files one ticket, and all fifty hold it', async () => {
    const args = { ...TICKET, subject: 'Fiftyfold badge', idempotency_key: 'fifty' }
    const results = await Promise.all(Array.from({ length: 50 }, () => alice('ticket_create', args)))
    const answers = results.map(
      (result) => result.structuredContent as { ticket: { id: string }; created: boolean },
    )
    expect(new Set(answers.map(({ ticket }) => ticket.id)).size).toBe(1)
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(await totalOf('fiftyfold')).toBe(1)
  })

  it('used again for the same request returns the same ticket with created: false (C17)', async () => {
    const args = { ...TICKET, idempotency_key: 'twice' }
    const first = await alice('ticket_create', args)
    const second = await alice('ticket_create', args)
    expect(second.structuredContent).toEqual({ ...first.structuredContent, created: false })
  })

  it('used for another subject is refused, and the refusal says how to go on (C17)', async () => {
    await alice('ticket_create', { ...TICKET, idempotency_key: 'reused' })
    const refused = await alice('ticket_create', { ...TICKET, subject: 'Another', idempotency_key: 'reused' })
    expect(errorOf(refused)).toMatchObject({
      class: 'invalid_arguments',
      code: 'idempotency_key_reused',
      field: 'idempotency_key',
    })
    expect(textOf(refused)).toMatch(/\n.*choose another idempotency_key/)
  })

  it('makes each of the other writes safe to repeat', async () => {
    const created = await alice('ticket_create', { ...TICKET, subject: 'Repeated writes' })
    const { id } = (created.structuredContent as { ticket: { id: string } }).ticket
    const steps: [string, Record<string, unknown>][] = [
      ['ticket_comment', { id, body: 'Once.' }],
      ['ticket_assign', { id, assignee: 'bob' }],
      ['ticket_close', { id, resolution: 'New badge.' }],
      ['ticket_reopen', { id }],
    ]
    for (const [tool, args] of steps) {
      const first = await alice(tool, { ...args, idempotency_key: `repeat-${tool}` })
      const second = await alice(tool, { ...args, idempotency_key: `repeat-${tool}` })
      expect(second.isError).toBeUndefined()
      expect(second.structuredContent).toEqual(first.structuredContent)
    }
    const read = await alice('ticket_get', { id })
    expect((read.structuredContent as { comments: unknown[] }).comments).toHaveLength(1)
  })
})

describe('an answer that is lost on the way (C16)', () => {
  it('is outcome_unknown with a key, and repeating it with that key does not do it twice', async () => {
    const args = { ...TICKET, subject: 'Swallowed answer' }
    road.swallow = true
    const lost = await alice('ticket_create', args)
    road.swallow = false
    expect(errorOf(lost)).toMatchObject({ class: 'outcome_unknown', retryable: true })
    const key = /idempotency_key "([^"]+)"/.exec(textOf(lost))?.[1]
    expect(key).toBeDefined()
    expect(await totalOf('swallowed')).toBe(1)
    const again = await alice('ticket_create', { ...args, idempotency_key: key })
    expect(again.structuredContent).toMatchObject({ created: false, ticket: { subject: args.subject } })
    expect(await totalOf('swallowed')).toBe(1)
  })
})
