// Whatever is sent as arguments: what the schema refuses never reaches the service, what it takes always does, and
// nothing is an internal failure.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { argumentsFor } from '../support/arbitrary.ts'
import { catalogue } from '../support/catalogue.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, type CallResult } from '../support/gateway.ts'
import { message2025 } from '../support/messages.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

const RUNS = 150

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({
    LIMIT_READS_PER_MINUTE: '1000000',
    LIMIT_WRITES_PER_MINUTE: '1000000',
    LIMIT_EXPORTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  })
  desk.backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
})
afterAll(() => desk.close())

describe.each(catalogue.list.map((tool) => [tool.name, tool] as const))('%s', (name, { inputSchema }) => {
  it('judges generated arguments as its published schema does', async () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    const fits = ajv.compile(inputSchema as object)
    await fc.assert(
      fc.asyncProperty(argumentsFor(inputSchema), async (args) => {
        desk.backend.asked.length = 0
        const { body } = message2025('tools/call', { name, arguments: args })
        const response = await desk.gateway.post(body, desk.tokens.dave)
        expect(response.status).toBeLessThan(500)
        const answer = (await response.json()) as { result?: CallResult; error?: unknown }
        if (!answer.result) {
          // The protocol itself wants an object.
          expect(args !== null && typeof args === 'object' && !Array.isArray(args)).toBe(false)
          return
        }
        const told = errorOf(answer.result).class
        expect(told).not.toBe('internal')
        if (desk.backend.asked.length === 0) expect(told).toBe('invalid_arguments')
        // JSON as the gateway got it: half a surrogate pair is the one thing that a schema cannot refuse.
        const sent = JSON.parse(JSON.stringify(args ?? {})) as unknown
        const broken = /\\ud[89a-f]/i.test(JSON.stringify(args))
        if (fits(sent) && !broken) expect(desk.backend.asked).toHaveLength(1)
      }),
      { numRuns: RUNS },
    )
  })
})

it('nothing of it was logged as a fault of ours', () => {
  expect(desk.gateway.logged()).toBe('')
})
