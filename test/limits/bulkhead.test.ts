// Room for calls: bounded for each client and for all, with a bounded queue and a bounded wait, and no starving.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBulkhead } from '../../src/gateway/limits/bulkhead.ts'

const never = () => new AbortController().signal
const DONE = { done: true }

/** Work that ends when it is told to, and knows how much of it goes on at once. */
function workplace() {
  const ends: (() => void)[] = []
  let running = 0
  let most = 0
  return {
    most: () => most,
    running: () => running,
    work: async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running--
      return DONE
    },
    endAll: async () => {
      while (running > 0 || ends.length > 0) {
        for (const end of ends.splice(0)) end()
        await sleep(0)
      }
    },
  }
}

describe('A bulkhead', () => {
  it('lets a client have so many calls in flight, all together so many, and the rest wait', async () => {
    const { enter } = createBulkhead({ inFlight: 3, inFlightPerClient: 2 })
    const { work, most, running, endAll } = workplace()
    const calls = ['a', 'a', 'a', 'b', 'b', 'b'].map((client) => enter(client, never(), work))
    await sleep(5)
    expect(running()).toBe(3)
    await endAll()
    expect(await Promise.all(calls)).toEqual(Array(6).fill(DONE))
    expect(most()).toBe(3)
  })

  it('refuses a client whose lane is full at once, and nobody else', async () => {
    const { enter } = createBulkhead({ inFlight: 10, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const calls = Array.from({ length: 17 }, () => enter('a', never(), work))
    expect(await enter('a', never(), work)).toBe('client_busy')
    const other = enter('b', never(), work)
    await sleep(5)
    await endAll()
    expect(await other).toBe(DONE)
    expect(await Promise.all(calls)).toEqual(Array(17).fill(DONE))
  })

  it('refuses everybody at once when all lanes together are full', async () => {
    const { enter } = createBulkhead({ inFlight: 1, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const calls = Array.from({ length: 17 }, (_, index) => enter(`client ${index}`, never(), work))
    expect(await enter('another', never(), work)).toBe('overloaded')
    await sleep(5)
    await endAll()
    await Promise.all(calls)
    const again = enter('another', never(), work)
    await sleep(5)
    await endAll()
    expect(await again).toBe(DONE)
  })

  it('gives a waiting call its room back when the caller leaves', async () => {
    const { enter } = createBulkhead({ inFlight: 1, inFlightPerClient: 1 })
    const { work, running, endAll } = workplace()
    const first = enter('a', never(), work)
    const leave = new AbortController()
    let ran = false
    const second = enter('b', leave.signal, () => {
      ran = true
      return Promise.resolve(DONE)
    })
    await sleep(5)
    leave.abort()
    expect(await second).toBe('left')
    await endAll()
    await first
    expect([ran, running()]).toEqual([false, 0])
  })

  it('counts no caller who has left, neither as waiting nor against the room to wait', async () => {
    const { enter, inside } = createBulkhead({ inFlight: 2, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const running = enter('a', never(), work)
    const leaving = Array.from({ length: 16 }, () => new AbortController())
    const impatient = leaving.map(({ signal }) => enter('a', signal, work))
    await sleep(5)
    expect(inside()).toEqual({ running: 1, waiting: 16 })
    expect(await enter('a', never(), work)).toBe('client_busy')
    for (const leave of leaving) leave.abort()
    expect(await Promise.all(impatient)).toEqual(Array(16).fill('left'))
    expect(inside()).toEqual({ running: 1, waiting: 0 })
    const patient = enter('a', never(), work)
    await sleep(5)
    expect(inside()).toEqual({ running: 1, waiting: 1 })
    await endAll()
    expect(await Promise.all([running, patient])).toEqual([DONE, DONE])
    expect(inside()).toEqual({ running: 0, waiting: 0 })
  })

  it('keeps a bounded memory of callers who come and leave at once', async () => {
    const { enter, inside } = createBulkhead({ inFlight: 2, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const running = enter('a', never(), work)
    const outcomes: unknown[] = []
    for (let call = 0; call < 100; call++) {
      const leave = new AbortController()
      const left = enter('a', leave.signal, work)
      leave.abort()
      outcomes.push(await left)
    }
    expect(outcomes.filter((outcome) => outcome === 'left')).toHaveLength(2 * 17 - 1)
    expect(outcomes.at(-1)).toBe('client_busy')
    expect(inside()).toEqual({ running: 1, waiting: 0 })
    const other = enter('b', never(), work)
    await sleep(5)
    await endAll()
    expect(await Promise.all([running, other])).toEqual([DONE, DONE])
  })

  it('bounds the wait: in its own lane it is the client that is busy, behind all others the gateway', async () => {
    const { enter } = createBulkhead({ inFlight: 2, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const running = [enter('a', never(), work), enter('b', never(), work)]
    const start = performance.now()
    const waited = await Promise.all([enter('a', never(), work), enter('c', never(), work)])
    expect(waited).toEqual(['client_busy', 'overloaded'])
    expect(performance.now() - start).toBeLessThan(8_000)
    await endAll()
    await Promise.all(running)
  })

  it('has no place for a caller who has left before', async () => {
    const { enter, inside } = createBulkhead({ inFlight: 1, inFlightPerClient: 1 })
    const { work, endAll } = workplace()
    const running = enter('a', never(), work)
    await sleep(5)
    const left = enter('a', AbortSignal.abort(), work)
    expect(inside()).toEqual({ running: 1, waiting: 0 })
    expect(await left).toBe('left')
    await endAll()
    await running
  })

  it('survives work that throws', async () => {
    const { enter } = createBulkhead({ inFlight: 1, inFlightPerClient: 1 })
    const broken = () => enter('a', never(), () => Promise.reject(new Error('broken')))
    await expect(broken()).rejects.toThrow('broken')
    await expect(Promise.all([broken(), broken()])).rejects.toThrow('broken')
    expect(await enter('a', never(), () => Promise.resolve(DONE))).toBe(DONE)
  })

  it('serves a quiet client soon, however many calls a noisy one has waiting', async () => {
    const { enter } = createBulkhead({ inFlight: 4, inFlightPerClient: 2 })
    const order: string[] = []
    const work = (client: string) => async () => {
      await sleep(2)
      order.push(client)
      return DONE
    }
    const noisy = Array.from({ length: 30 }, () => enter('noisy', never(), work('noisy')))
    await enter('quiet', never(), work('quiet'))
    expect(order.filter((client) => client === 'noisy').length).toBeLessThanOrEqual(4)
    await Promise.all(noisy)
  })
})
