// A service that refuses, breaks off, hangs or answers nonsense: what the model is told, and how often the service is asked.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as faults from '../support/backend-faults.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf, type CallResult } from '../support/gateway.ts'
import { json, TICKET, TICKET_DETAIL } from '../support/scripted-backend.ts'

const TIMEOUT_MS = 500

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk({ CALL_TIMEOUT_MS: String(TIMEOUT_MS) })
})
afterAll(() => desk.close())
beforeEach(() => desk.heal())

const read = (on = desk) => on.gateway.call('ticket_get', { id: 'T-42' }, on.tokens.alice)
const write = (on = desk) => on.gateway.call('ticket_reopen', { id: 'T-42' }, on.tokens.alice)
const writeWithKey = (on = desk) =>
  on.gateway.call('ticket_reopen', { id: 'T-42', idempotency_key: 'k-1' }, on.tokens.alice)

async function after(script: faults.Script, call: () => Promise<CallResult>): Promise<CallResult> {
  desk.backend.asked.length = 0
  desk.backend.answer(script)
  return call()
}

describe('A service that breaks off after it got the request', () => {
  it.each([
    ['resets before its answer', faults.reset, 'connection'],
    ['resets in the middle of its answer', faults.resetAfterHalf, 'connection'],
    ['closes before the length that it promised', faults.closeBeforeTheEnd, 'connection'],
    ['does not speak HTTP', faults.noHttp, 'connection'],
    ['hangs (C16)', faults.hang, 'timeout'],
    ['drips past the deadline', faults.drip, 'timeout'],
  ] as const)(
    'and %s: a read may be repeated, the fate of a write is not known',
    async (_case, script, code) => {
      const told = errorOf(await after(script, read))
      expect(told).toMatchObject({ class: 'backend_unavailable', code, retryable: true })
      for (const call of [write, writeWithKey]) {
        const result = await after(script, call)
        expect(errorOf(result)).toMatchObject({ class: 'outcome_unknown', code, retryable: true })
        if (code === 'timeout') expect(desk.backend.asked).toHaveLength(1)
        const keys = new Set(desk.backend.asked.map(({ headers }) => String(headers['idempotency-key'])))
        expect(keys.size).toBe(1)
        const [key] = keys
        expect(textOf(result)).toContain(`idempotency_key "${String(key)}"`)
        expect(textOf(result)).not.toContain('Nothing was changed')
      }
    },
  )

  it('and hangs is left at the deadline, its connection closed (C16)', async () => {
    const start = performance.now()
    await after(faults.hang, read)
    expect(performance.now() - start).toBeLessThan(TIMEOUT_MS + 500)
    await desk.backend.asked[0]?.aborted
  })

  it('is used again as soon as it works', async () => {
    await after(faults.reset, read)
    const result = await after((_asked, res) => {
      json(res, 200, TICKET_DETAIL)
    }, read)
    expect(result.isError).toBeUndefined()
  })
})

describe('A 2xx answer that is not the contract', () => {
  const page = '<html>Sign in to the airport WiFi, SECRET</html>'
  it.each([
    ['HTML', faults.ok(page, { 'content-type': 'text/html' }), 'not_json'],
    ['HTML that is called JSON', faults.ok(page), 'not_json'],
    ['nothing', faults.ok(''), 'not_json'],
    ['204 (C14)', faults.withNothing(204), 'not_json'],
    ['half a document', faults.ok(JSON.stringify(TICKET_DETAIL).slice(0, -5)), 'not_json'],
    ['null', faults.ok('null'), 'wrong_shape'],
    ['a list', faults.ok('[]'), 'wrong_shape'],
    ['a string', faults.ok('"T-42"'), 'wrong_shape'],
    ['an empty object', faults.ok('{}'), 'wrong_shape'],
    ['a ticket without its id', faults.ok(JSON.stringify({ ...TICKET, id: undefined })), 'wrong_shape'],
    ['text for a number', faults.ok(JSON.stringify({ ...TICKET, comment_count: '0' })), 'wrong_shape'],
    [
      'infinity for a number',
      faults.ok(JSON.stringify({ ...TICKET, comment_count: 'N' }).replace('"N"', '1e999')),
      'wrong_shape',
    ],
    ['an encoding that nobody asked for', faults.gzipped, 'unreadable'],
    ['3 MiB', faults.tooLarge, 'unreadable'],
  ] as const)('such as %s is reported, and a write may have happened', async (_case, script, code) => {
    const result = await after(script, write)
    expect(errorOf(result)).toMatchObject({ class: 'bad_backend_reply', code, retryable: false })
    expect(textOf(result)).toContain('It may have been carried out')
    expect(desk.backend.asked).toHaveLength(1)
    for (const leak of faults.LEAKS) expect(textOf(result)).not.toContain(leak)

    const told = errorOf(await after(script, read))
    expect(told).toMatchObject({ class: 'bad_backend_reply', retryable: false })
  })

  it.each([200, 203, 206])('is judged by its body where the status is %d', async (status) => {
    const result = await after((_asked, res) => {
      json(res, status, TICKET_DETAIL)
    }, read)
    expect(result.structuredContent).toEqual(TICKET_DETAIL)
  })
})

describe('A refusal whose body must not be looked at', () => {
  it('is still told by its status and its Retry-After (C13)', async () => {
    const result = await after((_asked, res) => {
      const headers = { 'content-type': 'text/html', 'content-encoding': 'br', 'retry-after': '20' }
      res.writeHead(503, headers).end('not really br')
    }, read)
    expect(errorOf(result)).toMatchObject({
      class: 'backend_unavailable',
      code: 'status_503',
      retry_after_s: 20,
    })
  })
})

describe('A redirect', () => {
  it('is not followed, so that the token goes to no other host (C15)', async () => {
    const elsewhere = createServer()
    let connections = 0
    elsewhere.on('connection', () => connections++)
    elsewhere.listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const { port } = elsewhere.address() as AddressInfo
    for (const status of [301, 302, 303, 307, 308])
      for (const call of [read, write]) {
        const result = await after(faults.redirect(status, `http://127.0.0.1:${port}/latest/meta-data`), call)
        expect(errorOf(result)).toMatchObject({ class: 'bad_backend_reply', code: 'redirect' })
        expect(textOf(result)).not.toContain(String(port))
        expect(desk.backend.asked).toHaveLength(1)
      }
    expect(connections).toBe(0)
    elsewhere.close()
  })
})

describe('A service that is not there (C18)', () => {
  it('got nothing, which is said; lists and health are served all the same', async () => {
    const unused = createServer().listen(0, '127.0.0.1')
    await once(unused, 'listening')
    const { port } = unused.address() as AddressInfo
    unused.close()
    await once(unused, 'close')
    const lonely = await startFaultyDesk({ BACKEND_URL: `http://127.0.0.1:${port}/v1` })
    for (const call of [read, write, writeWithKey]) {
      const result = await call(lonely)
      expect(errorOf(result)).toMatchObject({
        class: 'backend_unavailable',
        code: 'not_reached',
        retryable: true,
      })
      expect(textOf(result)).toContain('Nothing was changed')
      for (const leak of [...faults.LEAKS, String(port)]) expect(textOf(result)).not.toContain(leak)
    }
    const list = await lonely.gateway.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      lonely.tokens.alice,
    )
    expect(list.status).toBe(200)
    expect((await fetch(`${lonely.gateway.origin}/healthz`)).status).toBe(200)
    await lonely.close()
  })
})
