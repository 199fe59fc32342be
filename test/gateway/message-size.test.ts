// How much a body may be, packed, unpacked and nested, and of which type.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, type CallResult } from '../support/gateway.ts'
import { errorIn, ERAS, message2025, toolCall } from '../support/messages.ts'
import { send, type RawAnswer } from '../support/raw-http.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'
import { COMMENT } from '../support/strict-client.ts'

const LIMIT_BYTES = 256 * 1024

let desk: FaultyDesk
let authorization: string
beforeAll(async () => {
  desk = await startFaultyDesk()
  authorization = `Bearer ${desk.tokens.alice}`
  desk.backend.answer(({ url }, res) => {
    json(res, 200, url.endsWith('/comments') ? COMMENT : TICKET_DETAIL)
  })
})
afterAll(() => desk.close())

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const all = { 'content-type': 'application/json', authorization, ...headers }
  return send(desk.gateway.url, { method: 'POST', headers: all, body })
}

const LIST = JSON.stringify(message2025('tools/list').body)

describe('The content type', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is taken',
    async (type) => {
      expect((await post(LIST, { 'content-type': type })).status).toBe(200)
    },
  )

  it.each([
    'text/plain',
    '',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
    'application/json; charset=latin1',
    'text/json',
  ])('%j is refused with 415', async (type) => {
    const answer = await post(LIST, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(errorIn(answer).message).toContain('JSON')
  })

  it('may come with a compressed body, whose size counts unpacked', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    expect((await post(gzipSync(LIST), gzip)).status).toBe(200)
    const bomb = gzipSync(
      JSON.stringify({ ...message2025('ping').body, padding: ' '.repeat(50 * 1024 * 1024) }),
    )
    expect(bomb.length).toBeLessThan(LIMIT_BYTES)
    expect((await post(bomb, gzip)).status).toBe(413)
    expect((await post('not gzip', gzip)).status).toBe(400)
    expect((await post(LIST, { 'content-encoding': 'zstd' })).status).toBe(415)
  })
})

describe('The size', () => {
  const padded = (bytes: number) => LIST.padEnd(bytes, ' ')

  it('may be the limit and not a byte more; the answer names the limit (C31)', async () => {
    expect((await post(padded(LIMIT_BYTES))).status).toBe(200)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await post(padded(LIMIT_BYTES + 1), headers)
      expect(answer.status).toBe(413)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(errorIn(answer).message).toContain('262144 bytes')
    }
  })

  it.each(ERAS)('has room for 4,000 characters of four bytes each, by %s (C31)', async (_era, era) => {
    const { headers, body } = toolCall(era, 'ticket_comment', { id: 'T-42', body: '\u{1F5A8}'.repeat(4_000) })
    const escaped = JSON.stringify(body).replace(/\u{1F5A8}/gu, '\\ud83d\\udda8')
    for (const text of [JSON.stringify(body), escaped]) {
      const answer = await post(text, headers)
      expect(JSON.parse(answer.body)).toMatchObject({ result: { structuredContent: COMMENT } })
    }
  })
})

describe('A body nested 100,000 levels deep', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)

  it.each([
    ['as an argument', `{"name":"acme_desk__ticket_get","arguments":{"id":${deep}}}`],
    ['as an unknown argument', `{"name":"acme_desk__ticket_get","arguments":{"x":${deep}}}`],
  ])('%s is an argument like any other that does not fit', async (_place, params) => {
    const answer = await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
    const { result } = JSON.parse(answer.body) as { result: CallResult }
    expect(errorOf(result).class).toBe('invalid_arguments')
  })

  it.each([
    ['as the message', deep],
    ['as the params', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`],
    ['as the id', `{"jsonrpc":"2.0","id":${deep},"method":"tools/list"}`],
    ['as the name', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${deep}}}`],
    ['as _meta', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"x":${deep}}}}`],
  ])('%s is answered, and the next request too', async (_place, body) => {
    const answer = await post(body)
    expect(answer.status).toBeLessThan(500)
    expect((await post(LIST)).status).toBe(200)
  })
})
