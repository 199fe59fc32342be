// One span per request through the OpenTelemetry SDK; loaded only when there is a receiver. Contexts are explicit: no
// context manager, no instrumentation of modules. What the SDK cannot send it drops, and no request waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import type { Request, RequestHandler, Response } from 'express'
import type { Protocol, Tracing, TracingOptions } from './tracing.ts'

const SERVICE_NAME = 'desk-ticket-service'
/** A receiver that is gone must not hold up a shutdown. */
const FLUSH_MS = 2_000
/** A receiver that is gone is the operator's to fix, once. */
const QUIET_MS = 60_000
/** They come every few seconds and nobody looks at their traces. */
const PROBE = /\/(healthz|readyz)$/

export async function createOtlpTracing(protocol: Protocol, options: TracingOptions): Promise<Tracing> {
  reportFaults(options)
  const provider = new NodeTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME, 'service.version': options.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await exporterOf(protocol))],
  })
  return {
    traceRequests: traceRequests(provider.getTracer(SERVICE_NAME, options.version)),
    async stop() {
      const sent = provider.shutdown().catch(() => undefined)
      await Promise.race([sent, sleep(FLUSH_MS, undefined, { ref: false })])
    },
  }
}

/** The modules are heavy, so only the one that is used is loaded. */
async function exporterOf(protocol: Protocol): Promise<SpanExporter> {
  switch (protocol) {
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  }
}

function traceRequests(tracer: Tracer): RequestHandler {
  return (request, response, next) => {
    if (PROBE.test(request.path)) {
      next()
      return
    }
    const { method } = request
    const span = tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'desk.request_id': response.locals.requestId },
      },
      contextOf(request, response),
    )
    // For the log line, where the caller began no trace.
    response.locals.traceId = span.spanContext().traceId
    response.once('close', () => {
      end(span, method, response)
    })
    next()
  }
}

/** What came with the request: `locals.traceId` says that its `traceparent` is well-formed. */
function contextOf(request: Request, { locals: { traceId } }: Response): Context {
  const traceparent = request.get('traceparent')
  if (traceId === undefined || traceparent === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: traceparent.slice(36, 52),
    traceFlags: parseInt(traceparent.slice(53, 55), 16),
    traceState: createTraceState(request.get('tracestate')),
    isRemote: true,
  })
}

function end(span: Span, method: string, response: Response): void {
  const { route } = response.locals
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
  // A caller that left before it was answered got no status.
  if (response.headersSent) {
    span.setAttribute('http.response.status_code', response.statusCode)
    if (response.statusCode >= 500)
      span.setAttribute('error.type', String(response.statusCode)).setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

/** The SDK has one logger for the process, and reports each batch that it loses. */
function reportFaults({ monotonicMs, onFault }: TracingOptions): void {
  let quietUntil = -Infinity
  const report = (said: string) => {
    if (monotonicMs() < quietUntil) return
    quietUntil = monotonicMs() + QUIET_MS
    onFault(reasonIn(said))
  }
  const nothing = () => undefined
  diag.setLogger(
    { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** Exceptions come as JSON with their stack; of a refused connection only the code says something. */
function reasonIn(said: string): string {
  try {
    const { message, code } = JSON.parse(said) as { message?: string; code?: string }
    return message || code || 'the spans could not be sent'
  } catch {
    return said
  }
}
