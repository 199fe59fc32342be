// Bodies that are no message, or hardly one: each is answered as JSON, none reaches a tool, none brings the server down.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorIn, ERAS, message2025, toolCall } from '../support/messages.ts'
import { send, sendBytes, type RawAnswer } from '../support/raw-http.ts'
import { json } from '../support/scripted-backend.ts'

let desk: FaultyDesk
let authorization: string
beforeAll(async () => {
  desk = await startFaultyDesk()
  authorization = `Bearer ${desk.tokens.alice}`
})
afterAll(() => desk.close())

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const all = { 'content-type': 'application/json', authorization, ...headers }
  return send(desk.gateway.url, { method: 'POST', headers: all, body })
}

const LIST = JSON.stringify(message2025('tools/list').body)

describe('A body that is not JSON', () => {
  it.each(['{', '', ' ', 'hello', '{"a":1}{"b":2}', "{'a':1}", '\uFEFF', '{"jsonrpc":"2.0"', 'NaN'])(
    '%j is refused with 400',
    async (body) => {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect([-32700, -32600]).toContain(errorIn(answer).code)
    },
  )

  it('is called a parse error', async () => {
    expect(errorIn(await post('{'))).toEqual({
      code: -32700,
      message: 'Parse error: the body is not valid JSON.',
    })
  })
})

describe('JSON that is not one message', () => {
  it.each([
    'null',
    '1',
    '"tools/list"',
    'true',
    '[]',
    `[${LIST}]`,
    `[${LIST},${LIST}]`,
    '{}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '{"id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
  ])('%s is refused with 400', async (body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(errorIn(answer).code).toBe(-32600)
  })

  it('says that batches are not served', async () => {
    expect(errorIn(await post(`[${LIST}]`)).message).toContain('one JSON-RPC message per request')
  })

  it.each(['null', '1.5', '{}', '[]', 'true'])('is refused with the id %s, and nothing runs', async (id) => {
    desk.backend.asked.length = 0
    const { body } = toolCall(message2025, 'ticket_get', { id: 'T-42' })
    const answer = await post(JSON.stringify({ ...body, id: 'ID' }).replace('"ID"', id))
    expect(answer.status).toBe(400)
    expect(errorIn(answer).code).toBe(-32600)
    expect(desk.backend.asked).toEqual([])
  })

  it.each(['', 'a', 0, -1, Number.MAX_SAFE_INTEGER])(
    'is served with the id %j, which comes back',
    async (id) => {
      const answer = await post(JSON.stringify({ ...message2025('ping').body, id }))
      expect(JSON.parse(answer.body)).toEqual({ jsonrpc: '2.0', id, result: {} })
    },
  )
})

describe('Arguments', () => {
  it.each(ERAS)('that are null or left out are none, by %s (C29)', async (_era, era) => {
    desk.backend.answer((_asked, res) => {
      json(res, 200, { tickets: [], total: 0, next_cursor: null })
    })
    for (const args of [null, undefined]) {
      const { headers, body } = toolCall(era, 'tickets_search', args)
      const answer = await post(JSON.stringify(body), headers)
      expect(JSON.parse(answer.body)).toMatchObject({ result: { structuredContent: { total: 0 } } })
    }
  })

  it('that are no object are a protocol error', async () => {
    for (const args of ['x', 7, [{ id: 'T-42' }]]) {
      const answer = await post(JSON.stringify(toolCall(message2025, 'ticket_get', args).body))
      expect(errorIn(answer).code).toBe(-32602)
    }
  })

  it.each([
    { params: null },
    { params: 'x' },
    { params: [] },
    {},
    { params: { name: null } },
    { params: { name: 7 } },
  ])('are not reached by a call without a name: %j', async (params) => {
    const answer = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', ...params }))
    expect(answer.status).toBeLessThan(500)
    expect(errorIn(answer).code).toBeLessThan(0)
  })
})

describe('A request that tries to smuggle another', () => {
  const head = (headers: string) =>
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n${headers}\r\n`

  it.each([
    ['two lengths', () => `${head('Content-Length: 2\r\nContent-Length: 200\r\n')}{}`],
    [
      'a length and chunks',
      () => `${head('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
    ],
    ['a folded header', () => `${head('X-A: b\r\n c: d\r\nContent-Length : 2\r\n')}{}`],
    ['a bare line feed', () => `${head('X-A: b\nContent-Length: 2\r\n')}{}`],
    ['a chunk size that is none', () => `${head('Transfer-Encoding: chunked\r\n')}zz\r\n{}\r\n0\r\n\r\n`],
  ])('by %s is refused as one, and the connection closed', async (_how, bytes) => {
    desk.backend.asked.length = 0
    const answer = await sendBytes(desk.gateway.origin, bytes())
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(desk.backend.asked).toEqual([])
  })
})
