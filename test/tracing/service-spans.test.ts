import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { nameRoute } from '../../backend-api/http/name-route.ts'
import { assignRequestId } from '../../backend-api/http/request-id.ts'
import { assignTraceId } from '../../backend-api/http/trace-id.ts'
import { createTracing, TracingConfigError } from '../../backend-api/telemetry/tracing.ts'
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'

const options = { version: '1.2.3', monotonicMs: () => 0, onFault: () => undefined }

interface TracedApp {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** Ends the app. */
  spans(): Promise<readonly ReceivedSpan[]>
}

/** The steps before the routes as the service has them, and two routes. */
async function startTracedApp(): Promise<TracedApp> {
  const received = await startOtlpReceiver()
  for (const [name, value] of Object.entries(received.variables)) vi.stubEnv(name, value)
  const tracing = await createTracing(received.variables, options)
  if (!tracing) throw new Error('Tracing is off.')
  const app = express()
  app.use(
    assignRequestId(() => 'minted-by-the-service'),
    assignTraceId,
    tracing.traceRequests,
  )
  app.get('/v1/tickets/:id', nameRoute('/v1/tickets/{id}'), ({ params: { id } }, response) => {
    response.status(id === 'T-500' ? 500 : 200).json({ trace: response.locals.traceId })
  })
  app.get('/v1/readyz', nameRoute('/v1/readyz'), (_request, response) => void response.end())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => received.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    get: (path, headers = {}) => fetch(origin + path, { headers }),
    async spans() {
      // The client may have its answer before the server is done with the request.
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await tracing.stop()
      return received.spans()
    },
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a request to the service', () => {
  it('is a span in the trace of its caller', async () => {
    const app = await startTracedApp()
    const traceparent = `00-${TRACE}-${SPAN}-01`
    await app.get('/v1/tickets/T-7', { traceparent, tracestate: 'vendor=1', 'x-request-id': 'of-the-caller' })
    expect(await app.spans()).toEqual([
      {
        traceId: TRACE,
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        parentSpanId: SPAN,
        name: 'GET /v1/tickets/{id}',
        kind: 'server',
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/v1/tickets/{id}',
          'http.response.status_code': 200,
          'desk.request_id': 'of-the-caller',
        },
        failed: false,
        service: 'desk-ticket-service',
      },
    ])
  })

  it.each([{}, { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }])(
    'begins a trace, known to what comes after, where none comes in: %j',
    async (headers) => {
      const app = await startTracedApp()
      const response = await app.get('/v1/tickets/T-7', headers)
      const { trace } = (await response.json()) as { trace: string }
      expect(trace).toMatch(/^[0-9a-f]{32}$/)
      expect(trace).not.toBe(TRACE)
      expect(await app.spans()).toMatchObject([{ traceId: trace, parentSpanId: undefined }])
    },
  )

  it('has failed with a status of 5xx, and with no other', async () => {
    const app = await startTracedApp()
    await app.get('/v1/tickets/T-500')
    await app.get('/no/such/route')
    expect(await app.spans()).toMatchObject([
      { failed: true, attributes: { 'http.response.status_code': 500, 'error.type': '500' } },
      // A path that nobody described may be anything, so it is not told.
      { name: 'GET', failed: false, attributes: { 'http.response.status_code': 404 } },
    ])
  })

  it('is not traced when its caller does not sample, nor when it is a probe', async () => {
    const app = await startTracedApp()
    await app.get('/v1/tickets/T-7', { traceparent: `00-${TRACE}-${SPAN}-00` })
    await app.get('/v1/readyz')
    expect(await app.spans()).toEqual([])
  })
})

describe('the service', () => {
  it.each([
    {},
    { [ENDPOINT]: '' },
    { [ENDPOINT]: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
    { [ENDPOINT]: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
  ])('does not trace with %j', async (variables) => {
    expect(await createTracing(variables, options)).toBeUndefined()
  })

  it.each([
    [
      { [ENDPOINT]: 'collector:4318' },
      `${ENDPOINT} must be an http or https URL, e.g. http://localhost:4318.`,
    ],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be otlp or none.'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.',
    ],
  ])('does not start with %j', async (variables, message) => {
    const refused = createTracing({ [ENDPOINT]: 'http://127.0.0.1:1', ...variables }, options)
    await expect(refused).rejects.toThrow(new TracingConfigError(message))
  })
})
