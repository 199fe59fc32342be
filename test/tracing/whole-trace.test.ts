import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDesk, type Desk } from '../support/desk.ts'
import { ERAS, toolCall, type Message } from '../support/messages.ts'
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'
import { carriers, newContext } from '../support/trace-carriers.ts'

const CALL = 'tools/call acme_desk__ticket_get'
const SERVED = 'GET /v1/tickets/{id}'

let received: OtlpReceiver
let desk: Desk
const tokens: Record<string, string> = {}

beforeAll(async () => {
  received = await startOtlpReceiver()
  const report = { NODE_OPTIONS: `--import ${new URL('../support/report-imports.js', import.meta.url).href}` }
  desk = await startDesk({
    tickets: 3,
    logLevel: 'info',
    service: { ...received.variables, ...report },
    gateway: () => ({ ...received.variables, ...report }),
  })
  for (const person of ['alice', 'bob']) tokens[person] = await desk.token(person)
})

afterAll(async () => {
  await desk.close()
  await received.close()
})

async function send({ headers, body }: Message, person: string): Promise<void> {
  const authorization = `Bearer ${tokens[person] ?? ''}`
  const response = await fetch(desk.url, {
    method: 'POST',
    headers: { ...headers, authorization },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
}

/** The spans of a trace by name, once those that must be there have come. */
async function trace(
  traceId: string,
  ...names: string[]
): Promise<(name: string) => ReceivedSpan | undefined> {
  const spans = () => received.spans().filter((span) => span.traceId === traceId)
  await expect.poll(() => spans().map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  return (wanted) => spans().find(({ name }) => name === wanted)
}

describe.each(ERAS)('a call of %s', (_era, message) => {
  it.each(carriers)(
    'that brings its trace in %s is one trace through both processes',
    async (_where, carry) => {
      const context = newContext()
      await send(carry(toolCall(message, 'ticket_get', { id: 'T-1' }, 17), context), 'alice')

      const span = await trace(context.traceId, CALL, 'queue', 'getTicket', SERVED)
      const call = span(CALL)
      expect(call).toMatchObject({
        parentSpanId: context.spanId,
        kind: 'server',
        failed: false,
        service: 'desk-gateway',
        attributes: {
          'mcp.method.name': 'tools/call',
          'gen_ai.tool.name': 'acme_desk__ticket_get',
          'jsonrpc.request.id': '17',
        },
      })
      expect(span('queue')).toMatchObject({ parentSpanId: call?.spanId, kind: 'internal', failed: false })
      const attempt = span('getTicket')
      expect(attempt).toMatchObject({
        parentSpanId: call?.spanId,
        kind: 'client',
        attributes: { 'http.response.status_code': 200, 'desk.attempt': 1 },
      })
      expect(span(SERVED)).toMatchObject({
        parentSpanId: attempt?.spanId,
        kind: 'server',
        service: 'desk-ticket-service',
        attributes: {
          'http.route': '/v1/tickets/{id}',
          'http.response.status_code': 200,
          'desk.request_id': call?.attributes['desk.request_id'],
        },
      })
    },
  )
})

describe('a call', () => {
  const [, message] = ERAS[0]

  it('that needs a token of our own shows the exchange, and the issuer logs it under the same request id', async () => {
    const context = newContext()
    await send(carriers[0][1](toolCall(message, 'ticket_get', { id: 'T-1' }), context), 'bob')
    const span = await trace(context.traceId, CALL, 'exchange')
    expect(span('exchange')).toMatchObject({
      parentSpanId: span(CALL)?.spanId,
      kind: 'client',
      failed: false,
    })
    const requestId = String(span(CALL)?.attributes['desk.request_id'])
    const routes = () =>
      desk.service
        .logged()
        .split('\n')
        .filter((line) => line.includes(requestId))
        .map((line) => /"route":"([^"]*)"/.exec(line)?.[1])
    await expect.poll(routes).toEqual(['/identity/token', '/v1/tickets/{id}'])
  })

  it('without a trace of its own begins one, which both logs name', async () => {
    await send(toolCall(message, 'ticket_comment', { id: 'T-2', body: 'Looked at it.' }), 'alice')
    const served = 'POST /v1/tickets/{id}/comments'
    await expect.poll(() => received.spans().map(({ name }) => name)).toContain(served)
    const { traceId = '', attributes = {} } = received.spans().find(({ name }) => name === served) ?? {}
    const span = await trace(traceId, 'tools/call acme_desk__ticket_comment')
    expect(span('tools/call acme_desk__ticket_comment')?.parentSpanId).toBeUndefined()
    for (const { logged } of [desk.gateway, desk.service]) {
      const lines = logged()
        .split('\n')
        .filter((line) => line.includes(String(attributes['desk.request_id'])))
      expect(lines).toContainEqual(expect.stringContaining(`"trace_id":"${traceId}"`))
    }
  })

  it('that fails says so, with its class', async () => {
    const context = newContext()
    await send(carriers[0][1](toolCall(message, 'ticket_get', { id: 'T-404' }), context), 'alice')
    const span = await trace(context.traceId, CALL, SERVED)
    expect(span(CALL)).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'tool_error', 'desk.error.class': 'not_found' },
    })
    expect(span(SERVED)).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 404 } })
  })

  it('shows neither a token nor what was written', async () => {
    const context = newContext()
    const args = { subject: 'Zebrafish in the printer', body: 'It swims in the toner.' }
    await send(carriers[0][1](toolCall(message, 'ticket_create', args), context), 'alice')
    await trace(context.traceId, 'tools/call acme_desk__ticket_create', 'POST /v1/tickets')
    const sent = received
      .requests()
      .map(({ body }) => body.toString())
      .join()
    for (const secret of ['Zebrafish', 'toner', 'Bearer', ...Object.values(tokens)])
      expect(sent).not.toContain(secret)
  })
})

describe('a process that traces', () => {
  it('has loaded the SDK, and of the exporters the one that it uses', () => {
    for (const { logged } of [desk.gateway, desk.service]) {
      expect(logged()).toContain('IMPORTS @opentelemetry/sdk-trace-node')
      expect(logged()).toContain('IMPORTS @opentelemetry/exporter-trace-otlp-http')
      expect(logged()).not.toContain('IMPORTS @opentelemetry/exporter-trace-otlp-proto')
    }
  })

  it('sends its last spans when it is told to stop', async () => {
    const context = newContext()
    await send(carriers[0][1](toolCall(ERAS[0][1], 'ticket_get', { id: 'T-1' }), context), 'alice')
    expect(await desk.gateway.kill('SIGTERM')).toBe(0)
    expect(await desk.service.kill('SIGTERM')).toBe(0)
    const names = received
      .spans()
      .filter(({ traceId }) => traceId === context.traceId)
      .map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([CALL, SERVED]))
  })
})
