// Recorded requests, altered at random: no answer of 5xx, no crash, no hang, and the next request is served.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { HOSTILE } from '../support/arbitrary.ts'
import { ERAS, toolCall } from '../support/messages.ts'
import { send, sendBytes } from '../support/raw-http.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

const RUNS = 200

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({
    LIMIT_READS_PER_MINUTE: '1000000',
    LIMIT_UNAUTHENTICATED_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  })
  desk.backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
})
afterAll(() => desk.close())

const serves = async () => {
  const result = await desk.gateway.call('ticket_get', { id: 'T-42' }, desk.tokens.alice)
  expect(result.isError).toBeUndefined()
}

describe.each(ERAS)('A recorded request of %s', (_era, era) => {
  const recorded = [
    toolCall(era, 'ticket_get', { id: 'T-42' }),
    era('tools/list'),
    era('resources/read', { uri: 'desk://policy' }),
    era('prompts/get', { name: 'triage', arguments: { ticket_id: 'T-42' } }),
    era('server/discover'),
    era('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }),
  ]

  it('with one value replaced, wherever it stands, is answered', async () => {
    const places = recorded.flatMap((message) => pathsIn(message.body).map((path) => ({ message, path })))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), HOSTILE, async ({ message, path }, value) => {
        const body = replaceAt(message.body, path, value)
        const response = await desk.gateway.post(body, desk.tokens.alice, {
          ...message.headers,
          accept: 'application/json, text/event-stream',
        })
        await response.body?.cancel()
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: RUNS },
    )
    await serves()
  })

  it('with bytes flipped, cut out or repeated is answered', async () => {
    const bytes = fc.constantFrom(...recorded).chain(({ headers, body }) => {
      const text = Buffer.from(JSON.stringify(body))
      return fc
        .tuple(fc.nat(text.length - 1), fc.nat(20), fc.nat(255), fc.constantFrom('flip', 'cut', 'repeat'))
        .map(([at, length, byte, how]) => ({ headers, body: alter(text, at, length, byte, how) }))
    })
    await fc.assert(
      fc.asyncProperty(bytes, async ({ headers, body }) => {
        const authorization = `Bearer ${desk.tokens.alice}`
        const answer = await send(desk.gateway.url, {
          method: 'POST',
          headers: { ...headers, authorization },
          body,
        })
        expect(answer.status).toBeLessThan(500)
      }),
      { numRuns: RUNS },
    )
    await serves()
  })

  it('with its head in pieces is answered or the connection closed', async () => {
    const [{ headers, body }] = recorded as [(typeof recorded)[0]]
    const text = JSON.stringify(body)
    const lines = Object.entries({ ...headers, authorization: `Bearer ${desk.tokens.alice}` })
    const head = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${text.length}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
    const altered = fc
      .tuple(fc.nat(head.length - 1), fc.nat(9), fc.nat(127), fc.constantFrom('flip', 'cut', 'repeat'))
      .map((choice) => alter(Buffer.from(head), ...choice).toString('latin1'))
    await fc.assert(
      fc.asyncProperty(altered, async (start) => {
        expect(await sendBytes(desk.gateway.origin, start + text)).not.toMatch(/^HTTP\/1\.1 5/)
      }),
      { numRuns: 40 },
    )
    await serves()
  }, 90_000)
})

it('nothing of it was logged as a fault of ours', () => {
  expect(desk.gateway.logged()).toBe('')
})

type Path = readonly string[]

function pathsIn(value: unknown): Path[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => [
    [name],
    ...pathsIn(inner).map((path) => [name, ...path]),
  ])
}

function replaceAt(value: unknown, [name, ...rest]: Path, replacement: unknown): unknown {
  if (name === undefined) return replacement
  const inner = (value as Record<string, unknown>)[name]
  return { ...(value as Record<string, unknown>), [name]: replaceAt(inner, rest, replacement) }
}

function alter(bytes: Buffer, at: number, length: number, byte: number, how: string): Buffer {
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ]
  if (how === 'cut') return Buffer.concat([before, after])
  if (how === 'repeat') return Buffer.concat([before, part, part, after])
  return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at + 1)])
}
