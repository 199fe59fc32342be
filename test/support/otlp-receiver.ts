// A receiver of traces in the place of an OpenTelemetry collector: takes OTLP over HTTP, and reads its JSON form.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Undefined for the first span of a trace. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'other'
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly failed: boolean
  /** `service.name` of the process that sent it. */
  readonly service: string
}

export interface ReceivedRequest {
  readonly path: string
  readonly type: string
  readonly body: Buffer
}

export interface OtlpReceiver {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  readonly url: string
  /** Variables for a process that shall send its spans here, in JSON and at once. */
  readonly variables: Readonly<Record<string, string>>
  spans(): readonly ReceivedSpan[]
  requests(): readonly ReceivedRequest[]
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const requests: ReceivedRequest[] = []
  const server = createServer((req, res) => {
    void buffer(req).then((body) => {
      const type = req.headers['content-type'] ?? ''
      requests.push({ path: req.url ?? '', type, body })
      res.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    spans: () => requests.filter(({ type }) => type === 'application/json').flatMap(spansIn),
    requests: () => requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface KeyValue {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly KeyValue[]
  readonly status: { readonly code?: number }
}

interface OtlpDocument {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

const KINDS = ['other', 'internal', 'server', 'client'] as const
const STATUS_ERROR = 2

function spansIn({ body }: ReceivedRequest): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as OtlpDocument
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        name: span.name,
        kind: KINDS[span.kind] ?? 'other',
        attributes: valuesOf(span.attributes),
        failed: span.status.code === STATUS_ERROR,
        service: String(valuesOf(resource.attributes)['service.name']),
      })),
  )
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.doubleValue ?? value.intValue),
    ]),
  )
}
