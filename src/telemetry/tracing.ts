// The spans of a call. Off unless an OTLP receiver is named, and then no OpenTelemetry module is loaded: a trace
// that a client started still goes on to the service, with a span id of ours in between.
import { randomBytes } from 'node:crypto'
import { traceHeaders, type TraceContext } from './trace-context.ts'

/** No ticket text and no token; undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanPort {
  readonly traceId: string
  /** W3C headers whose parent is this span. */
  readonly headers: Readonly<Record<string, string>>
  /** `client` for a request to another server. */
  child(name: string, attributes?: Attributes, kind?: 'client' | 'internal'): SpanPort
  end(attributes?: Attributes, failed?: boolean): void
}

export interface Tracing {
  /** A span of kind SERVER; undefined where nothing is recorded and no context came in. */
  start(name: string, parent: TraceContext | undefined, attributes: Attributes): SpanPort | undefined
  /** Sends what is recorded; takes at most two seconds. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** Unless OTEL_SERVICE_NAME says otherwise. */
  readonly serviceName: string
  readonly version: string
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told at most once a minute that spans are lost, and why. */
  readonly onFault: (reason: string) => void
}

export type Protocol = 'http/protobuf' | 'http/json'

type Variables = Readonly<Record<string, string | undefined>>

/** Its message lists the variables at fault, a line each. */
export class TracingConfigError extends Error {}

/**
 * Reads the standard OTEL_* variables; those of the sampler, the batches and the receiver are read by the SDK, from
 * what the process was started with. Rejects with a TracingConfigError.
 */
export async function createTracing(env: Variables, options: TracingOptions): Promise<Tracing> {
  const protocol = protocolOf(env)
  if (protocol === undefined) return passOn
  const { createOtlpTracing } = await import('./otlp-tracing.ts')
  return createOtlpTracing(protocol, options)
}

/** Undefined when tracing is off (OpenTelemetry's "Environment Variable Specification": empty is unset). */
function protocolOf(env: Variables): Protocol | undefined {
  const read = (name: string) => env[name]?.trim() || undefined
  const first = (...names: string[]) => names.find((name) => read(name) !== undefined)
  const endpoint = first('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return undefined

  const variable =
    first('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL') ??
    'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = read(variable) ?? 'http/protobuf'
  const known = protocol === 'http/protobuf' || protocol === 'http/json'
  const url = read(endpoint) ?? ''
  const faults = [
    !(URL.canParse(url) && /^https?:/i.test(url)) &&
      `${endpoint}: must be an http(s) URL, such as http://localhost:4318`,
    exporter !== 'otlp' && 'OTEL_TRACES_EXPORTER: must be otlp or none',
    !known && `${variable}: must be http/protobuf or http/json`,
  ].filter((fault) => fault !== false)
  if (!known || faults.length > 0)
    throw new TracingConfigError(faults.map((fault) => `  ${fault}`).join('\n'))
  return protocol
}

/** Tracing that is off. */
export const passOn: Tracing = {
  start: (_name, parent) => parent && passedOn(parent),
  stop: () => Promise.resolve(),
}

/** One id for the call and all its parts: nobody records which of them the service's parent was. */
function passedOn(parent: TraceContext): SpanPort {
  const span: SpanPort = {
    traceId: parent.traceId,
    headers: traceHeaders({ ...parent, spanId: randomBytes(8).toString('hex') }),
    child: () => span,
    end: () => undefined,
  }
  return span
}
