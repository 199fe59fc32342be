// When a request is repeated, how long before, and how often at most.
import { describe, expect, it } from 'vitest'
import { createRetry } from '../../src/backend/retry.ts'
import type { Reply } from '../../src/backend/reply.ts'

const RESET: Reply = { kind: 'fault', sent: true, reason: 'connection' }
const OK = answer(200)

function answer(status: number, retryAfterS?: number): Reply {
  return { kind: 'answer', status, mediaType: 'application/json', text: '{}', bytes: 2, retryAfterS }
}

/** Runs one call against these replies; the last one repeats. */
async function run(replies: readonly Reply[], { random = 0, isWrite = false, signal = freshSignal() } = {}) {
  let sent = 0
  const retry = createRetry(() => random)
  const start = performance.now()
  const reply = await retry(() => Promise.resolve(replies[Math.min(sent++, replies.length - 1)] ?? OK), {
    isWrite,
    signal,
  })
  return { reply, sent, ms: performance.now() - start }
}

function freshSignal(): AbortSignal {
  return new AbortController().signal
}

describe('A request is repeated', () => {
  it('at most twice', async () => {
    expect(await run([RESET])).toMatchObject({ reply: RESET, sent: 3 })
  })

  it('until it succeeds', async () => {
    expect(await run([answer(503), OK])).toMatchObject({ reply: OK, sent: 2 })
  })

  it('after a delay with full jitter that doubles', async () => {
    expect((await run([RESET, RESET, OK], { random: 0 })).ms).toBeLessThan(80)
    const { ms } = await run([RESET, RESET, OK], { random: 1 })
    expect(ms).toBeGreaterThanOrEqual(295)
    expect(ms).toBeLessThan(600)
  })

  it('when the service says after how long, if that is short', async () => {
    const { sent, ms } = await run([answer(429, 1), OK])
    expect(sent).toBe(2)
    expect(ms).toBeGreaterThanOrEqual(990)
  })

  it.each([answer(429, 3), answer(503, 3), answer(429, 86_400), answer(429)])(
    'not when that is long or not said: %j',
    async (reply) => {
      expect(await run([reply])).toMatchObject({ reply, sent: 1 })
    },
  )

  it('not when the deadline is over, which also ends a delay', async () => {
    const { sent, ms } = await run([answer(503, 2)], { signal: AbortSignal.timeout(50) })
    expect(sent).toBe(1)
    expect(ms).toBeLessThan(500)
  })
})

describe('Retries', () => {
  it('stay under a tenth of the traffic when everything fails', async () => {
    let sent = 0
    const retry = createRetry(() => 0)
    const calls = 500
    const send = () => {
      sent++
      return Promise.resolve(RESET)
    }
    for (let call = 0; call < calls; call++) await retry(send, { isWrite: false, signal: freshSignal() })
    const retries = sent - calls
    expect(retries).toBeGreaterThan(0)
    expect(retries / (calls + retries)).toBeLessThan(0.1)
  })
})
