// Every status that a service or a proxy in front of it may answer, to each kind of call: what the model is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEAKS, withHtml, withNothing, withProblem } from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
})
afterAll(() => desk.close())

const READ = ['ticket_get', { id: 'T-42' }] as const
const WRITE = ['ticket_close', { id: 'T-42', resolution: 'Done.' }] as const
const WRITE_WITH_KEY = ['ticket_close', { id: 'T-42', resolution: 'Done.', idempotency_key: 'k-1' }] as const
const SECRETIVE = { detail: 'The ticket is closed.' }

interface Expected {
  readonly read: string
  readonly write: string
  readonly retryable: boolean
}

/** Classes by status: that of a read, that of a write where it differs, and whether a repeat makes sense. */
const all = (name: string, retryable: boolean): Expected => ({ read: name, write: name, retryable })
const UNKNOWN: Expected = { read: 'backend_unavailable', write: 'outcome_unknown', retryable: true }
/** Of the service they are a fault of the gateway; of a proxy they say that it kept the request. */
const BUILT_WRONGLY = [402, 405, 406, 407, 410, 415, 418, 425, 431, 451]
const KEPT: Expected = all('backend_unavailable', true)
const CLASSES: readonly (readonly [Expected, readonly number[]])[] = [
  [all('bad_backend_reply', false), [300, 301, 302, 303, 304, 307, 308]],
  [all('invalid_arguments', true), [400, 413, 422]],
  [all('backend_unavailable', true), [401, 502, 503]],
  [all('internal', false), BUILT_WRONGLY],
  [all('forbidden', false), [403]],
  [all('not_found', false), [404]],
  [UNKNOWN, [408, 500, 501, 504, 507, 511, 520, 524, 599]],
  [all('conflict', false), [409]],
  [all('rate_limited', true), [429]],
]
const ROWS = CLASSES.flatMap(([expected, statuses]) => statuses.map((status) => [status, expected] as const))
const PASSING = [502, 503, 504]
const BODIES = [
  ['a problem document', (status: number) => withProblem(status, 'some_problem', SECRETIVE)],
  ['HTML', withHtml],
  ['nothing', withNothing],
] as const

describe.each(BODIES)('A status that comes with %s', (body, script) => {
  it.each(ROWS)('%d is told as it is, to a read and to writes', async (status, ofTheService) => {
    const kept = BUILT_WRONGLY.includes(status) && body !== 'a problem document'
    const expected = kept ? KEPT : ofTheService
    for (const [tool, args] of [READ, WRITE, WRITE_WITH_KEY]) {
      desk.backend.asked.length = 0
      desk.backend.answer(script(status))
      const result = await desk.gateway.call(tool, args, desk.tokens.alice)
      const error = errorOf(result)
      const write = tool === WRITE[0]
      expect(error.class).toBe(write ? expected.write : expected.read)
      expect(error.retryable).toBe(expected.retryable)
      expect(error.request_id).toMatch(/^[0-9a-f-]{36}$/)
      // A refused token is exchanged anew once; what may pass is tried again while the retry budget lasts.
      const [least, most] = status === 401 ? [2, 2] : PASSING.includes(status) ? [1, 3] : [1, 1]
      expect(desk.backend.asked.length).toBeGreaterThanOrEqual(least)
      expect(desk.backend.asked.length).toBeLessThanOrEqual(most)
      expectPlain(textOf(result), error.class)
      expect(result).not.toHaveProperty('structuredContent')
      if (/Nothing was changed/.test(textOf(result)) && write)
        expect(kept || status === 401 || (status === 503 && body === 'a problem document')).toBe(true)
    }
    if (status >= 500) await desk.heal()
  })
})

describe('A write whose fate is not clear', () => {
  it.each([408, 500, 502, 504, 524])('is told with the key that went along, after %d', async (status) => {
    for (const [tool, args] of [WRITE, WRITE_WITH_KEY]) {
      desk.backend.asked.length = 0
      desk.backend.answer(withHtml(status))
      const result = await desk.gateway.call(tool, args, desk.tokens.alice)
      const sent = desk.backend.asked[0]?.headers['idempotency-key']
      if ('idempotency_key' in args) expect(sent).toBe('k-1')
      expect(textOf(result)).toContain(`idempotency_key "${String(sent)}"`)
    }
    await desk.heal()
  })
})

/** Two lines: the class and what happened, then what to do. Nothing of a foreign body, no address, no token. */
function expectPlain(text: string, failureClass: string): void {
  const lines = text.split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(new RegExp(`^\\[${failureClass}\\] [A-Z].*\\.$`))
  expect(lines[1]).toMatch(/^[A-Z].*\.$/)
  for (const leak of LEAKS) expect(text).not.toContain(leak)
}
