// The endpoint as HTTP: paths, methods and what a client says that it accepts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { ERAS, message2025, toolCall } from '../support/messages.ts'
import { send } from '../support/raw-http.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

let desk: FaultyDesk
let authorization: string
beforeAll(async () => {
  desk = await startFaultyDesk()
  authorization = `Bearer ${desk.tokens.alice}`
  desk.backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
})
afterAll(() => desk.close())

const LIST = message2025('tools/list')

describe('The path', () => {
  it.each(['/mcp', '/mcp/', '/mcp?session=1'])('%s is served without a redirect (C38)', async (path) => {
    const headers = { ...LIST.headers, authorization }
    const answer = await send(desk.gateway.origin + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(LIST.body),
    })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toHaveProperty('result.tools')
  })

  it.each(['/', '/sse', '/mcp/x', '/..%2fmcp', '/%zz', '/.well-known/nothing', '/metrics'])(
    '%s is not there, which is said as JSON without a stack',
    async (path) => {
      const answer = await send(desk.gateway.origin + path, { method: 'POST', headers: { authorization } })
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
      expect(answer.body).toContain('The MCP endpoint is /mcp.')
    },
  )
})

describe('The method', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE'])(
    '%s is answered 405 with Allow (C39)',
    async (method) => {
      for (const headers of [{}, { authorization }, { accept: 'text/event-stream', authorization }]) {
        const answer = await send(desk.gateway.url, { method, headers })
        expect(answer.status).toBe(405)
        expect(answer.headers.allow).toBe('POST')
        expect(answer.body).not.toContain(desk.tokens.alice)
      }
    },
  )
})

describe.each(ERAS)('A client of %s', (_era, era) => {
  const ACCEPTS = [
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'application/json, text/event-stream',
    'text/event-stream, application/json',
    'text/html',
    '',
  ]
  it.each(ACCEPTS)('that accepts %j is served JSON (C40)', async (accept) => {
    for (const message of [era('tools/list'), toolCall(era, 'ticket_get', { id: 'T-42' })]) {
      const headers = { ...message.headers, authorization, ...(accept !== undefined && { accept }) }
      const answer = await send(desk.gateway.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(message.body),
      })
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toMatch(/^application\/json/)
      expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} })
    }
  })

  it.each(['text/event-stream', 'Text/Event-Stream;q=1'])(
    'that accepts %j alone is served one event (C40)',
    async (accept) => {
      const message = toolCall(era, 'ticket_get', { id: 'T-42' })
      const headers = { ...message.headers, authorization, accept }
      const answer = await send(desk.gateway.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(message.body),
      })
      expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
      const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec(answer.body) ?? []
      expect(JSON.parse(data)).toMatchObject({
        jsonrpc: '2.0',
        id: 1,
        result: { structuredContent: TICKET_DETAIL },
      })
    },
  )

  it('gets 202 without a body for a notification', async () => {
    const { headers, body } = era('notifications/cancelled', { requestId: 99 })
    delete body['id']
    const answer = await send(desk.gateway.url, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: JSON.stringify(body),
    })
    expect([answer.status, answer.body]).toEqual([202, ''])
  })

  it('is told that a method does not exist', async () => {
    const { headers, body } = era('tools/burn')
    const answer = await send(desk.gateway.url, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: JSON.stringify(body),
    })
    expect(JSON.parse(answer.body)).toMatchObject({ id: 1, error: { code: -32601 } })
  })
})

describe('The request id', () => {
  it('of the client is kept: in the answer, in the call to the service, in the result', async () => {
    const { headers, body } = toolCall(message2025, 'ticket_get', { id: 'nonsense' })
    const request = (id: string) =>
      desk.gateway.post(body, desk.tokens.alice, { ...headers, 'x-request-id': id })
    const failed = await request('client-id.42')
    expect(failed.headers.get('x-request-id')).toBe('client-id.42')
    expect(await failed.text()).toContain('"request_id":"client-id.42"')

    desk.backend.asked.length = 0
    const call = toolCall(message2025, 'ticket_get', { id: 'T-42' })
    await desk.gateway.post(call.body, desk.tokens.alice, { 'x-request-id': 'client-id.43' })
    expect(desk.backend.asked[0]?.headers['x-request-id']).toBe('client-id.43')
  })

  it.each(['short', 'x'.repeat(65), 'with space in', '"><script>', '{"a":1}------'])(
    '%j is replaced by one of our own',
    async (given) => {
      const answer = await send(`${desk.gateway.origin}/healthz`, { headers: { 'x-request-id': given } })
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    },
  )

  it('is on refusals too', async () => {
    for (const [path, status] of [
      ['/mcp', 405],
      ['/nothing', 404],
    ] as const) {
      const answer = await send(desk.gateway.origin + path)
      expect(answer.status).toBe(status)
      expect(answer.headers['x-request-id']).toBeDefined()
    }
  })
})
