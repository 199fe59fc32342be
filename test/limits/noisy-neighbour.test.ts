// A client far beyond its limit costs a quiet one nothing: no room, and less work than calls that are served.
// Both are measured in what a busy machine does not change: whether a call must wait for others, and processor time.
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { message2025, toolCall } from '../support/messages.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

const LIMIT_PER_MINUTE = 10
const HARD_FACTOR = 4
const NOISE = 50 * LIMIT_PER_MINUTE
const QUIET_CALLS = 49
const ROUNDS = 5

let desk: FaultyDesk
afterEach(() => desk.close())

/** Writes are limited, reads are not; `hold` takes over a write that has reached the service. */
async function start(hold: (answer: () => void) => void): Promise<void> {
  desk = await startFaultyDesk({
    LIMIT_READS_PER_MINUTE: '1000000',
    LIMIT_WRITES_PER_MINUTE: String(LIMIT_PER_MINUTE),
    LIMIT_HARD_FACTOR: String(HARD_FACTOR),
    MAX_CALLS_IN_FLIGHT: '4',
    MAX_CALLS_IN_FLIGHT_PER_CLIENT: '2',
  })
  desk.backend.answer(({ method }, res) => {
    if (method === 'GET') json(res, 200, { tickets: [], total: 0, next_cursor: null })
    else
      hold(() => {
        json(res, 200, TICKET_DETAIL.ticket)
      })
  })
}

async function noisyCall(): Promise<number> {
  const { body } = toolCall(message2025, 'ticket_reopen', { id: 'T-42' })
  const response = await desk.gateway.post(body, desk.tokens.alice)
  await response.arrayBuffer()
  return response.status
}

async function quietCall(): Promise<void> {
  const result = await desk.gateway.call('tickets_search', {}, desk.tokens.dave)
  expect(result.structuredContent).toBeDefined()
}

describe('A client at 50 times its limit', () => {
  it('whose calls hang in all the room it may have makes no call of another wait for one of them', async () => {
    const held: (() => void)[] = []
    await start((answer) => held.push(answer))
    const noise: Promise<number>[] = []
    const makeNoise = (calls: number) => {
      for (let call = 0; call < calls; call++) noise.push(noisyCall().catch(() => 0))
    }
    makeNoise(LIMIT_PER_MINUTE)
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(2)
    for (let call = 0; call < QUIET_CALLS; call++) {
      makeNoise((NOISE - LIMIT_PER_MINUTE) / QUIET_CALLS)
      await quietCall()
    }
    expect(held).toHaveLength(2)
    desk.backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL.ticket)
    })
    for (const answer of held) answer()
    const statuses = await Promise.all(noise)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(NOISE / 2)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })

  it('costs less for each call that is refused than for one that is served', async () => {
    await start((answer) => {
      answer()
    })
    const cpuOf = async (calls: number, call: () => Promise<unknown>) => {
      const before = process.cpuUsage()
      for (let index = 0; index < calls; index++) await call()
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    while ((await noisyCall()) !== 429) await quietCall()
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const served = await cpuOf(QUIET_CALLS, quietCall)
      ratios.push((await cpuOf(QUIET_CALLS, noisyCall)) / served)
    }
    expect(ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(1)
  })
})
