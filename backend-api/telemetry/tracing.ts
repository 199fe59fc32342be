// Traces of requests. Off unless an OTLP receiver is named, and then no OpenTelemetry module is loaded.
import type { RequestHandler } from 'express'

export interface Tracing {
  /** Behind the steps that assign the request id and the trace id. */
  readonly traceRequests: RequestHandler
  /** Sends what is recorded; takes at most two seconds. */
  stop(): Promise<void>
}

export interface TracingOptions {
  readonly version: string
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number
  /** Told at most once a minute that spans are lost, and why. */
  readonly onFault: (reason: string) => void
}

export type Protocol = 'http/protobuf' | 'http/json'

type Environment = Readonly<Record<string, string | undefined>>

/** Its message names the variable at fault and the values that work. */
export class TracingConfigError extends Error {}

/**
 * Reads the standard OTEL_* variables; those of the sampler, the batches and the receiver are read by the SDK, from
 * what the process was started with. Undefined when tracing is off. Rejects with a TracingConfigError.
 */
export async function createTracing(env: Environment, options: TracingOptions): Promise<Tracing | undefined> {
  const read = (name: string) => env[name]?.trim() || undefined
  const first = (...names: string[]) => names.find((name) => read(name) !== undefined)

  const endpoint = first('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  const disabled = read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  if (endpoint === undefined || disabled || exporter === 'none') return undefined

  const url = read(endpoint) ?? ''
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new TracingConfigError(`${endpoint} must be an http or https URL, e.g. http://localhost:4318.`)
  if (exporter !== 'otlp') throw new TracingConfigError('OTEL_TRACES_EXPORTER must be otlp or none.')
  const variable = first('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = read(variable) ?? 'http/protobuf'
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw new TracingConfigError(`${variable} must be http/protobuf or http/json.`)

  const { createOtlpTracing } = await import('./otlp-tracing.ts')
  return createOtlpTracing(protocol, options)
}
