import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startFaultyDesk, type FaultyDesk } from '../support/faulty-desk.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { ERAS, toolCall, type Message } from '../support/messages.ts'
import { json, TICKET_DETAIL } from '../support/scripted-backend.ts'
import { spawnService } from '../support/service-process.ts'
import { carriers, newContext } from '../support/trace-carriers.ts'

let desk: FaultyDesk

beforeAll(async () => {
  desk = await startFaultyDesk()
  desk.backend.answer((_asked, res) => {
    json(res, 200, TICKET_DETAIL)
  })
})

afterAll(() => desk.close())

beforeEach(() => {
  desk.backend.asked.length = 0
})

/** Headers of the one request that the service got for it. */
async function requestFor({ headers, body }: Message) {
  const response = await desk.gateway.post(body, desk.tokens.alice, headers)
  expect(response.status).toBe(200)
  expect(desk.backend.asked).toHaveLength(1)
  return desk.backend.asked[0]?.headers ?? {}
}

describe.each(ERAS)('without tracing, a call of %s', (_era, message) => {
  const call = () => toolCall(message, 'ticket_get', { id: 'T-42' })

  it.each(carriers)('hands the trace in %s on, with a parent of ours', async (_where, carry) => {
    const context = newContext()
    const { traceparent, tracestate } = await requestFor(carry(call(), context))
    expect(traceparent).toMatch(new RegExp(`^00-${context.traceId}-[0-9a-f]{16}-01$`))
    expect(traceparent).not.toContain(context.spanId)
    expect(tracestate).toBe(context.tracestate)
  })

  it.each(carriers)('takes a malformed trace in %s for none', async (_where, carry) => {
    const { traceparent, tracestate } = newContext()
    const headers = await requestFor(carry(call(), { traceparent: `${traceparent}-more`, tracestate }))
    expect(headers).not.toHaveProperty('traceparent')
    expect(headers).not.toHaveProperty('tracestate')
  })

  it('begins no trace', async () => {
    expect(await requestFor(call())).not.toHaveProperty('traceparent')
  })
})

describe('a tracestate that is no header', () => {
  it('breaks no request to the service', async () => {
    const [, inMeta] = carriers[1]
    const context = { ...newContext(), tracestate: 'a=1\r\nDesk-User-Assertion: forged' }
    const headers = await requestFor(inMeta(toolCall(ERAS[0][1], 'ticket_get', { id: 'T-42' }), context))
    expect(headers['traceparent']).toContain(context.traceId)
    expect(headers).not.toHaveProperty('tracestate')
    expect(headers).not.toHaveProperty('desk-user-assertion')
  })
})

describe('without a receiver', () => {
  const preload = new URL('../support/report-imports.js', import.meta.url).href
  const variables = { NODE_OPTIONS: `--import ${preload}`, LOG_LEVEL: 'info', OTEL_SERVICE_NAME: 'unused' }
  const ISSUER = 'http://127.0.0.1:1/identity'

  it('no process loads a module of OpenTelemetry', async () => {
    const [gateway, service] = await Promise.all([
      startGatewayProcess({ issuer: ISSUER, backend: 'http://127.0.0.1:1/v1' }, variables),
      spawnService({ ISSUER, DATABASE_PATH: ':memory:', ...variables }),
    ])
    onTestFinished(async () => {
      service.child.kill()
      await gateway.kill('SIGKILL')
    })
    for (const logged of [gateway.logged(), service.log()]) {
      expect(logged).toContain('listening')
      expect(logged).not.toContain('IMPORTS')
    }
  })
})
