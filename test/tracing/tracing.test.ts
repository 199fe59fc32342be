import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TraceContext } from '../../src/telemetry/trace-context.ts'
import { createTracing, TracingConfigError, type Tracing } from '../../src/telemetry/tracing.ts'
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'

const PARENT: TraceContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  flags: 1,
  state: 'vendor=1',
}
const TRACEPARENT = /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'

const options = {
  serviceName: 'desk-gateway',
  version: '1.2.3',
  now: () => 0,
  onFault: () => undefined,
}

/** The SDK reads the environment of the process by itself. */
function tracingWith(variables: Record<string, string>, onFault: (reason: string) => void = () => undefined) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  return createTracing(variables, { ...options, onFault })
}

async function receiver(): Promise<OtlpReceiver> {
  const started = await startOtlpReceiver()
  onTestFinished(() => started.close())
  return started
}

async function spansOf(tracing: Tracing, received: OtlpReceiver): Promise<Map<string, ReceivedSpan>> {
  await tracing.stop()
  return new Map(received.spans().map((span) => [span.name, span]))
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each([
  ['no variable', {}],
  ['an empty endpoint', { [ENDPOINT]: ' ' }],
  ['the SDK disabled', { [ENDPOINT]: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }],
  ['no exporter', { [ENDPOINT]: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' }],
])('with %s', (_what, variables) => {
  it('no span is made for a call without a trace', async () => {
    const tracing = await createTracing(variables, options)
    expect(tracing.start('call', undefined, {})).toBeUndefined()
    await tracing.stop()
  })

  it('a trace that a client began goes on, with a span id of ours', async () => {
    const tracing = await createTracing(variables, options)
    const span = tracing.start('call', PARENT, {})
    const child = span?.child('attempt')
    child?.end({ a: 1 }, true)
    span?.end()
    expect(span?.traceId).toBe(PARENT.traceId)
    for (const { headers } of [span, child].filter((one) => one !== undefined)) {
      expect(headers).toEqual({
        traceparent: expect.stringMatching(TRACEPARENT) as string,
        tracestate: 'vendor=1',
      })
      expect(headers['traceparent']).not.toContain(PARENT.spanId)
    }
    expect(tracing.start('call', PARENT, {})?.headers).not.toEqual(span?.headers)
  })
})

describe('a start', () => {
  const HERE = { [ENDPOINT]: 'http://127.0.0.1:1' }
  it.each([
    [
      { ...HERE, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      '  OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json',
    ],
    [
      { ...HERE, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'udp' },
      '  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: must be http/protobuf or http/json',
    ],
    [{ ...HERE, OTEL_TRACES_EXPORTER: 'console' }, '  OTEL_TRACES_EXPORTER: must be otlp or none'],
    [
      { [ENDPOINT]: 'localhost:4318' },
      `  ${ENDPOINT}: must be an http(s) URL, such as http://localhost:4318`,
    ],
    [
      { ...HERE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector' },
      '  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: must be an http(s) URL, such as http://localhost:4318',
    ],
  ])('with %j is refused', async (variables, message) => {
    const refused = createTracing(variables, options)
    await expect(refused).rejects.toThrow(TracingConfigError)
    await expect(refused).rejects.toThrow(message)
  })

  it('names every variable at fault', async () => {
    const variables = { [ENDPOINT]: 'x', OTEL_TRACES_EXPORTER: 'x', OTEL_EXPORTER_OTLP_PROTOCOL: 'x' }
    await expect(createTracing(variables, options)).rejects.toThrow(/ENDPOINT.*\n.*EXPORTER.*\n.*PROTOCOL/)
  })
})

describe('a span', () => {
  it('is sent with its parent, kind, attributes, outcome and process', async () => {
    const received = await receiver()
    const tracing = await tracingWith(received.variables)
    const call = tracing.start('tools/call x', PARENT, { 'gen_ai.tool.name': 'x', left: undefined })
    const queue = call?.child('queue')
    queue?.end()
    const attempt = call?.child('getTicket', { 'desk.attempt': 1 }, 'client')
    attempt?.end({ 'http.response.status_code': 503 }, true)
    call?.end({ done: true })

    const spans = await spansOf(tracing, received)
    const sent = spans.get('tools/call x')
    expect(sent).toEqual({
      traceId: PARENT.traceId,
      spanId: call?.headers['traceparent']?.slice(36, 52),
      parentSpanId: PARENT.spanId,
      name: 'tools/call x',
      kind: 'server',
      attributes: { 'gen_ai.tool.name': 'x', done: true },
      failed: false,
      service: 'desk-gateway',
    })
    const parent = { traceId: PARENT.traceId, parentSpanId: sent?.spanId }
    expect(spans.get('queue')).toMatchObject({ ...parent, kind: 'internal', failed: false })
    expect(spans.get('getTicket')).toMatchObject({
      ...parent,
      kind: 'client',
      failed: true,
      attributes: { 'desk.attempt': 1, 'http.response.status_code': 503 },
    })
    expect(attempt?.headers).toEqual({
      traceparent: `00-${PARENT.traceId}-${spans.get('getTicket')?.spanId ?? ''}-01`,
      tracestate: 'vendor=1',
    })
  })

  it('begins a trace of its own where none came in', async () => {
    const received = await receiver()
    const tracing = await tracingWith(received.variables)
    const call = tracing.start('call', undefined, {})
    expect(call?.headers).toEqual({
      traceparent: `00-${call?.traceId ?? ''}-${call?.headers['traceparent']?.slice(36, 52) ?? ''}-01`,
    })
    call?.end()
    expect((await spansOf(tracing, received)).get('call')).toMatchObject({
      traceId: call?.traceId,
      parentSpanId: undefined,
    })
  })

  it('is not sent when the client did not sample its trace, which goes on all the same', async () => {
    const received = await receiver()
    const tracing = await tracingWith(received.variables)
    const call = tracing.start('call', { ...PARENT, flags: 2 }, {})
    const attempt = call?.child('attempt')
    attempt?.end()
    call?.end()
    expect((await spansOf(tracing, received)).size).toBe(0)
    expect(attempt?.headers['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-02$/)
    expect(attempt?.headers['traceparent']).not.toContain(PARENT.spanId)
  })

  it('is sampled and named as the standard variables say', async () => {
    const received = await receiver()
    const tracing = await tracingWith({
      ...received.variables,
      OTEL_SERVICE_NAME: 'front',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    })
    tracing.start('of our own', undefined, {})?.end()
    tracing.start('of a client', PARENT, {})?.end()
    const spans = await spansOf(tracing, received)
    expect([...spans.keys()]).toEqual(['of a client'])
    expect(spans.get('of a client')?.service).toBe('front')
  })

  it('is sent as protobuf when no protocol is named', async () => {
    const received = await receiver()
    const tracing = await tracingWith({ [ENDPOINT]: received.url })
    tracing.start('call', PARENT, {})?.end()
    await tracing.stop()
    expect(received.requests()).toMatchObject([{ path: '/v1/traces', type: 'application/x-protobuf' }])
    expect(received.requests()[0]?.body.includes(Buffer.from(PARENT.traceId, 'hex'))).toBe(true)
  })
})

describe('a receiver', () => {
  it('that is gone is told of once, and costs no call anything', async () => {
    const faults: string[] = []
    const tracing = await tracingWith(
      {
        [ENDPOINT]: `http://127.0.0.1:${await closedPort()}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '100',
        OTEL_BSP_SCHEDULE_DELAY: '10',
      },
      (reason) => faults.push(reason),
    )
    const startedAt = performance.now()
    for (let sent = 0; sent < 1_500; sent++) tracing.start('call', PARENT, {})?.end()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    await expect.poll(() => faults).toHaveLength(1)
    expect(faults[0]).toMatch(/ECONNREFUSED/)
    await tracing.stop()
    expect(faults).toHaveLength(1)
  })

  it('that does not answer holds up a stop for two seconds and no longer', async () => {
    const hung = createHttpServer().listen(0, '127.0.0.1')
    await once(hung, 'listening')
    onTestFinished(() => {
      hung.closeAllConnections()
      hung.close()
    })
    const tracing = await tracingWith({
      [ENDPOINT]: `http://127.0.0.1:${(hung.address() as AddressInfo).port}`,
    })
    tracing.start('call', PARENT, {})?.end()
    const startedAt = performance.now()
    await tracing.stop()
    const waited = performance.now() - startedAt
    expect(waited).toBeGreaterThan(1_900)
    expect(waited).toBeLessThan(5_000)
  })
})

async function closedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
