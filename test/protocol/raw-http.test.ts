// What goes over the wire, message by message, without a client library in between.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'

const REVISION = '2026-07-28'
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
}

let desk: FaultyDesk
beforeAll(async () => {
  desk = await startFaultyDesk()
  desk.backend.answer(({ url }, res) => {
    if (url === '/v1/policy') res.writeHead(200, { 'content-type': 'text/markdown' }).end('# Policy')
    else json(res, 200, TICKET_DETAIL)
  })
})
afterAll(() => desk.close())

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string } }
}

/** A request of revision 2026-07-28; `headers` replace the standard ones. */
async function modern(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const name = params['name'] ?? params['uri']
  const response = await desk.gateway.post(
    { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: ENVELOPE } },
    desk.tokens.alice,
    {
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
  )
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  }
}

async function older(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
  const response = await desk.gateway.post({ jsonrpc: '2.0', id: 7, method, params }, desk.tokens.alice)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  }
}

describe('revision 2026-07-28', () => {
  it('server/discover says what is served and how long that may be kept', async () => {
    const { status, body } = await modern('server/discover')
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [REVISION],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      ttlMs: 300_000,
      cacheScope: 'public',
    })
  })

  it.each(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])(
    '%s is a complete result that may be kept by anybody, for it does not vary',
    async (method) => {
      const { body } = await modern(method)
      expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
    },
  )

  it('a tool call is one JSON answer with the id of the request', async () => {
    const { status, headers, body } = await modern('tools/call', {
      name: 'acme_desk__ticket_get',
      arguments: { id: 'T-42' },
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/json')
    expect(body).toMatchObject({
      id: 7,
      result: { resultType: 'complete', structuredContent: TICKET_DETAIL },
    })
  })

  it('the policy is read from the service, and another URI is an error', async () => {
    const { body } = await modern('resources/read', { uri: 'desk://policy' })
    expect(body.result).toMatchObject({
      contents: [{ uri: 'desk://policy', mimeType: 'text/markdown', text: '# Policy' }],
      cacheScope: 'public',
    })
    const other = await modern('resources/read', { uri: 'desk://tickets/T-1' })
    expect(other.body.error?.message).toContain('desk://tickets/T-1')
  })

  it('the triage prompt names the tools, and refuses an id that is none', async () => {
    const { body } = await modern('prompts/get', { name: 'triage', arguments: { ticket_id: 'T-42' } })
    expect(JSON.stringify(body.result)).toContain('acme_desk__ticket_get')
    const refused = await modern('prompts/get', { name: 'triage', arguments: { ticket_id: 'T-42; drop' } })
    expect(refused.body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('ticket_id') as unknown,
    })
  })

  it.each([
    ['another method in the header', { 'mcp-method': 'tools/list' }],
    ['another name in the header', { 'mcp-name': 'acme_desk__desk_export' }],
  ])('%s than in the body is refused: 400 with -32020', async (_name, headers) => {
    const params = { name: 'acme_desk__ticket_get', arguments: { id: 'T-42' } }
    const { status, body } = await modern('tools/call', params, headers)
    expect([status, body.error?.code, body.id]).toEqual([400, -32020, 7])
  })

  it('a revision that is not served is refused: 400 with -32022 and the ones that are', async () => {
    const response = await desk.gateway.post(
      {
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/list',
        params: { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
      },
      desk.tokens.alice,
      { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' },
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32022, data: { supported: [REVISION] } } })
  })

  it('an unknown method is 404 with -32601', async () => {
    const { status, body } = await modern('no/such')
    expect([status, body.error?.code]).toEqual([404, -32601])
  })

  it('a notification is accepted with 202 and no body', async () => {
    const response = await desk.gateway.post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: ENVELOPE } },
      desk.tokens.alice,
      { 'mcp-protocol-version': REVISION, 'mcp-method': 'notifications/cancelled' },
    )
    expect([response.status, await response.text()]).toEqual([202, ''])
  })
})

describe('revisions up to 2025-11-25', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'initialize negotiates %s, without a session',
    async (version) => {
      const { status, headers, body } = await older('initialize', {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'raw', version: '1' },
      })
      expect(status).toBe(200)
      expect(headers.get('mcp-session-id')).toBeNull()
      expect(body.result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'desk-gateway' } })
    },
  )

  it('a call needs no initialize before it: any replica answers any request', async () => {
    const { body } = await older('tools/call', { name: 'acme_desk__ticket_get', arguments: { id: 'T-42' } })
    expect(body).toMatchObject({ id: 7, result: { structuredContent: TICKET_DETAIL } })
  })

  it('both eras list the same tools, byte for byte', async () => {
    const [now, then] = await Promise.all([modern('tools/list'), older('tools/list')])
    expect(JSON.stringify(now.body.result?.['tools'])).toBe(JSON.stringify(then.body.result?.['tools']))
  })

  it('ping is answered, and an unknown method is -32601', async () => {
    expect((await older('ping')).body.result).toEqual({})
    expect((await older('no/such')).body.error?.code).toBe(-32601)
  })
})

it('a subscription to what never changes is acknowledged and completed at once', async () => {
  const response = await desk.gateway.post(
    {
      jsonrpc: '2.0',
      id: 9,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: ENVELOPE },
    },
    desk.tokens.alice,
    { 'mcp-protocol-version': REVISION, 'mcp-method': 'subscriptions/listen' },
  )
  const text = await response.text()
  expect(text).toContain('"notifications":{}')
  expect(text).toMatch(/"id":9,"result":\{"resultType":"complete"/)
})
