// Spans through the OpenTelemetry SDK to an OTLP receiver; loaded only when there is one. Contexts are explicit: no
// context manager, no instrumentation of modules. What the SDK cannot send it drops, and no call waits for it.
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
  type Tracer,
} from '@opentelemetry/api'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node'
import { traceHeaders, type TraceContext } from './trace-context.ts'
import type { Attributes, Protocol, SpanPort, Tracing, TracingOptions } from './tracing.ts'

/** A receiver that is gone must not hold up a shutdown. */
const FLUSH_MS = 2_000
/** A receiver that is gone is the operator's to fix, once. */
const QUIET_MS = 60_000
const RANDOM_FLAG = 0x02

export async function createOtlpTracing(protocol: Protocol, options: TracingOptions): Promise<Tracing> {
  reportFaults(options)
  const provider = new NodeTracerProvider({
    resource: resourceOf(options),
    spanProcessors: [new BatchSpanProcessor(await exporterOf(protocol))],
  })
  const tracer = provider.getTracer(options.serviceName, options.version)
  return {
    start: (name, parent, attributes) =>
      startSpan(
        tracer,
        { name, attributes, kind: SpanKind.SERVER },
        parent ? remote(parent) : ROOT_CONTEXT,
        parent,
      ),
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

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word. */
function resourceOf({ serviceName, version }: TracingOptions) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
}

interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
}

/** `origin` is the context that came with the call, of which what we do not interpret goes on as it came. */
function startSpan(
  tracer: Tracer,
  { name, ...what }: SpanStart,
  context: Context,
  origin: TraceContext | undefined,
): SpanPort {
  const span = tracer.startSpan(name, what, context)
  const { traceId, spanId, traceFlags } = span.spanContext()
  const inSpan = trace.setSpan(ROOT_CONTEXT, span)
  return {
    traceId,
    get headers() {
      const flags = traceFlags | ((origin?.flags ?? 0) & RANDOM_FLAG)
      return traceHeaders({ traceId, spanId, flags, state: origin?.state })
    },
    child: (childName, attributes = {}, kind = 'internal') =>
      startSpan(
        tracer,
        { name: childName, attributes, kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL },
        inSpan,
        origin,
      ),
    end(attributes = {}, failed = false) {
      span.setAttributes(attributes)
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function remote({ traceId, spanId, flags, state }: TraceContext): Context {
  const parent = { traceId, spanId, traceFlags: flags, isRemote: true }
  return trace.setSpanContext(
    ROOT_CONTEXT,
    state === undefined ? parent : { ...parent, traceState: createTraceState(state) },
  )
}

/** The SDK has one logger for the process, and reports each batch that it loses. */
function reportFaults({ now, onFault }: TracingOptions): void {
  let quietUntil = -Infinity
  const report = (said: string) => {
    if (now() < quietUntil) return
    quietUntil = now() + QUIET_MS
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
