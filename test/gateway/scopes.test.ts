// The gateway's layer of authorisation: a call without its scope is refused before a tool runs, whoever asks in whatever way.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registry } from '../../src/tools/registry.ts'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { ERAS, message2025, toolCall, type Message } from '../support/messages.ts'
import { send, type RawAnswer } from '../support/raw-http.ts'
import { startGateway, GATEWAY_AUDIENCE, type RunningGateway } from '../support/gateway.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

const SCOPES = ['tickets:read', 'tickets:write', 'desk:admin']

let issuer: TestIssuer
let gateway: RunningGateway
beforeAll(async () => {
  issuer = await startTestIssuer()
  gateway = await startGateway({ ISSUER: issuer.issuer, CLIENT_SECRET: 'x'.repeat(32) })
})
afterAll(async () => {
  await gateway.close()
  await issuer.close()
})

async function post(message: Message, scope: string | undefined, path = '/mcp'): Promise<RawAnswer> {
  const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope })
  const headers = { ...message.headers, authorization: `Bearer ${token}` }
  return send(gateway.origin + path, { method: 'POST', headers, body: JSON.stringify(message.body) })
}

function expectChallenge(answer: RawAnswer, scope: string): void {
  expect(answer.status).toBe(403)
  const challenge = String(answer.headers['www-authenticate'])
  expect(challenge).toMatch(/^Bearer resource_metadata="[^"]+", /)
  expect(challenge).toContain(`scope="${scope}", error="insufficient_scope"`)
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'insufficient_scope', scope })
}

describe.each(ERAS)('A call by %s', (_era, era) => {
  it.each(registry.map(({ name, scope }) => [name, scope] as const))(
    'of %s passes with %s and with nothing less (C48)',
    async (tool, needed) => {
      const call = toolCall(era, tool, {})
      const others = SCOPES.filter((scope) => scope !== needed)
      for (const scope of [undefined, '', others.join(' '), `${needed}x`, needed.toUpperCase(), `x${needed}`])
        expectChallenge(await post(call, scope), needed)
      for (const scope of [needed, SCOPES.join(' '), ` ${needed}  x `])
        expect((await post(call, scope)).status).toBe(200)
    },
  )
})

describe('A call without its scope is refused', () => {
  const call = toolCall(message2025, 'ticket_close', { id: 'T-1', resolution: 'x' })

  it.each(['/mcp/', '/mcp?x=1', '/MCP'])('under the path %s as well', async (path) => {
    expectChallenge(await post(call, 'tickets:read', path), 'tickets:write')
  })

  it('with a line in the log that says whose call of which tool it was', async () => {
    const { headers } = await post(call, 'tickets:read')
    const lines = gateway
      .logged()
      .split('\n')
      .filter((line) => line.includes('"request refused"'))
    expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
      request_id: headers['x-request-id'],
      status: 403,
      user: 'alice',
      client: expect.any(String) as string,
      tool: 'acme_desk__ticket_close',
    })
  })

  it('as a notification, which has no id', async () => {
    const body = { ...call.body }
    delete body['id']
    expectChallenge(await post({ ...call, body }, 'tickets:read'), 'tickets:write')
  })

  it('when the header names another tool than the body', async () => {
    const headers = { ...call.headers, 'mcp-name': 'acme_desk__ticket_get', 'mcp-method': 'tools/list' }
    expectChallenge(await post({ ...call, headers }, 'tickets:read'), 'tickets:write')
  })

  it('when the message says things twice: the last one counts, here as there', async () => {
    const token = await issuer.sign({ sub: 'alice', aud: GATEWAY_AUDIENCE, scope: 'tickets:read' })
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"acme_desk__ticket_get","name":"acme_desk__desk_export"}}`
    expectChallenge(await gatewayPost(body, token), 'desk:admin')
  })

  async function gatewayPost(body: string, token: string): Promise<RawAnswer> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return send(gateway.url, { method: 'POST', headers, body })
  }
})

describe('Without any scope', () => {
  it.each(['tools/list', 'prompts/list', 'resources/list', 'ping'])('%s is served', async (method) => {
    expect((await post(message2025(method), undefined)).status).toBe(200)
  })

  it('every tool is listed to every caller, in the same order', async () => {
    const names = async (scope: string | undefined) => {
      const { result } = JSON.parse((await post(message2025('tools/list'), scope)).body) as {
        result: { tools: { name: string }[] }
      }
      return result.tools.map(({ name }) => name)
    }
    expect(await names(undefined)).toEqual(registry.map(({ name }) => `acme_desk__${name}`))
    expect(await names(SCOPES.join(' '))).toEqual(await names(undefined))
  })

  it('an unknown tool is a result and no challenge', async () => {
    const answer = await post(toolCall(message2025, 'burn_desk', {}), undefined)
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('unknown_tool')
  })
})

describe('The check before the tool', () => {
  let desk: FaultyDesk
  beforeAll(async () => {
    desk = await startFaultyDesk()
  })
  afterAll(() => desk.close())
  beforeEach(() => {
    desk.backend.asked.length = 0
  })

  it('keeps the service out of it', async () => {
    const { body } = toolCall(message2025, 'desk_export', {})
    expect((await desk.gateway.post(body, desk.tokens.carol)).status).toBe(403)
    expect(desk.backend.asked).toEqual([])
  })
})
