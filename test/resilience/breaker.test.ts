// While the service is plainly broken calls fail at once; it is tried now and then, and used again when it works.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createBreaker } from '../../src/backend/breaker.ts'
import type { Reply } from '../../src/backend/reply.ts'
import * as faults from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf } from '../support/gateway.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

let desk: FaultyDesk | undefined
afterEach(async () => {
  await desk?.close()
  desk = undefined
})

const CANCELLED: Reply = { kind: 'fault', sent: true, reason: 'cancelled' }
const RESET: Reply = { kind: 'fault', sent: true, reason: 'connection' }
const OK: Reply = { kind: 'answer', status: 200, mediaType: '', text: '', bytes: 0, retryAfterS: undefined }
const OPEN_MS = 2_000

describe('The breaker of a gateway', () => {
  it('opens on faults, answers in milliseconds, leaves the service in peace, and recovers by itself', async () => {
    const { gateway, backend, tokens } = (desk = await startFaultyDesk())
    const read = () => gateway.call('ticket_get', { id: 'T-42' }, tokens.alice)
    backend.answer(faults.reset)
    while (errorOf(await read()).code !== 'breaker_open') expect(backend.asked.length).toBeLessThan(100)
    backend.asked.length = 0
    const start = performance.now()
    for (let call = 0; call < 10; call++) {
      const result = await read()
      expect(errorOf(result)).toMatchObject({
        class: 'backend_unavailable',
        code: 'breaker_open',
        retryable: true,
      })
      expect(errorOf(result).retry_after_s).toBe(2)
      expect(textOf(result)).toContain('Nothing was changed')
    }
    expect((performance.now() - start) / 10).toBeLessThan(50)
    expect(backend.asked).toEqual([])
    const gauge = gateway.gateway.metrics.registry.getSingleMetricAsString('desk_gateway_breaker_open')
    expect(await gauge).toMatch(/desk_gateway_breaker_open 1/)

    backend.answer((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    })
    await expect.poll(async () => (await read()).isError, { timeout: OPEN_MS * 2 }).toBeUndefined()
    expect((await read()).isError).toBeUndefined()
  })

  it('never opens on refusals', async () => {
    const { gateway, backend, tokens } = (desk = await startFaultyDesk())
    for (const status of [400, 403, 404, 409, 422, 429]) {
      backend.answer(faults.withProblem(status))
      for (let call = 0; call < 15; call++) await gateway.call('ticket_get', { id: 'T-42' }, tokens.alice)
    }
    expect(backend.asked).toHaveLength(90)
  })
})

// At once, since they wait.
describe.concurrent('A breaker', () => {
  async function opened() {
    const told: boolean[] = []
    const breaker = createBreaker((open) => told.push(open))
    for (let request = 0; request < 20; request++) await breaker(() => Promise.resolve(RESET))
    expect(told).toEqual([true])
    return { breaker, told }
  }

  it('lets one request try, and does not let the others wait for it', async () => {
    const { breaker, told } = await opened()
    await sleep(OPEN_MS + 50)
    let answer: (reply: Reply) => void = () => undefined
    const trial = breaker(() => new Promise((resolve) => (answer = resolve)))
    expect((await breaker(() => Promise.resolve(OK))).kind).toBe('breaker_open')
    answer(OK)
    expect(await trial).toBe(OK)
    expect(await breaker(() => Promise.resolve(OK))).toBe(OK)
    expect(told).toEqual([true, false])
  })

  it('takes a trial of five seconds for failed and lets the next one begin; its caller still gets the answer', async ({
    expect,
  }) => {
    const { breaker, told } = await opened()
    await sleep(OPEN_MS + 50)
    let answer: (reply: Reply) => void = () => undefined
    const trial = breaker(() => new Promise((resolve) => (answer = resolve)))
    const start = performance.now()
    const next = async () => (await breaker(() => Promise.resolve(OK))).kind
    await expect.poll(next, { interval: 100 }).toBe('answer')
    expect(performance.now() - start).toBeGreaterThan(5_000 + OPEN_MS - 100)
    answer(OK)
    expect(await trial).toBe(OK)
    expect(told, 'a trial that fails opens nothing').toEqual([true, false])
  })

  it('stays open when the one who tries goes away', async () => {
    const { breaker } = await opened()
    await sleep(OPEN_MS + 50)
    expect(await breaker(() => Promise.resolve(CANCELLED))).toBe(CANCELLED)
    expect((await breaker(() => Promise.resolve(OK))).kind).toBe('breaker_open')
  })

  it('takes callers who leave neither for faults nor for successes', async () => {
    const breaker = createBreaker(() => undefined)
    for (let request = 0; request < 60; request++) await breaker(() => Promise.resolve(CANCELLED))
    expect(await breaker(() => Promise.resolve(OK))).toBe(OK)
    for (let request = 0; request < 20; request++) await breaker(() => Promise.resolve(RESET))
    expect((await breaker(() => Promise.resolve(OK))).kind).toBe('breaker_open')
  })

  it('does not open for the odd fault', async () => {
    const breaker = createBreaker(() => undefined)
    for (let request = 0; request < 200; request++)
      expect((await breaker(() => Promise.resolve(request % 3 === 0 ? RESET : OK))).kind).not.toBe(
        'breaker_open',
      )
  })
})
