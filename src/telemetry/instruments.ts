// Counters and durations whose label values come from closed sets; any other value counts as `other`.
// Their series exist before traffic, because a rate does not see the event that makes a series.
import { Counter, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client'

/** In which exemplars can be said. */
export type MetricsRegistry = Registry<OpenMetricsContentType>

/** From a read that is served from memory to a call that runs into its deadline. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

export interface Instrument<Name extends string> {
  readonly name: string
  /** For an operator who sees the metric for the first time. */
  readonly help: string
  /** The values of each label. */
  readonly labels: Readonly<Record<Name, readonly string[]>>
  /** What exists before traffic; left out: every combination. */
  readonly atStart?: readonly Readonly<Record<Name, string>>[]
}

/** Counts by one, or by `by`. */
export type Count<Name extends string> = (labels: Readonly<Record<Name, string>>, by?: number) => void

export function createCounter<Name extends string = never>(
  registry: MetricsRegistry,
  instrument: Instrument<Name>,
): Count<Name> {
  const { name, help, labels, atStart = combinationsOf(labels) } = instrument
  const counter = new Counter<string>({ name, help, labelNames: Object.keys(labels), registers: [registry] })
  for (const combination of atStart) counter.inc(combination, 0)
  const within = createWithin(labels)
  return (given, by = 1) => {
    counter.inc(within(given), by)
  }
}

/** Notes a duration; a trace id becomes the exemplar of its bucket. */
export type Time<Name extends string> = (
  labels: Readonly<Record<Name, string>>,
  seconds: number,
  traceId?: string,
) => void

export function createDurations<Name extends string>(
  registry: MetricsRegistry,
  instrument: Instrument<Name>,
): Time<Name> {
  const { name, help, labels, atStart = combinationsOf(labels) } = instrument
  const histogram = new Histogram<string>({
    name,
    help,
    labelNames: Object.keys(labels),
    buckets: SECONDS,
    enableExemplars: true,
    registers: [registry],
  })
  for (const combination of atStart) histogram.zero(combination)
  const within = createWithin(labels)
  return (given, value, traceId) => {
    if (traceId === undefined) histogram.observe({ labels: within(given), value })
    else histogram.observe({ labels: within(given), value, exemplarLabels: { trace_id: traceId } })
  }
}

/** What keeps the number of series bounded: a value that is not listed becomes `other`. */
function createWithin<Name extends string>(labels: Readonly<Record<Name, readonly string[]>>) {
  const names = Object.keys(labels) as Name[]
  const listed = names.map((name) => [name, new Set(labels[name])] as const)
  return (given: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> => {
    for (const [name, values] of listed) if (!values.has(given[name])) given = { ...given, [name]: 'other' }
    return given
  }
}

/** Every combination of the labels' values; of no labels there is one. */
export function combinationsOf<Name extends string>(
  labels: Readonly<Record<Name, readonly string[]>>,
): Record<Name, string>[] {
  const names = Object.keys(labels) as Name[]
  return names.reduce(
    (partial, name) => partial.flatMap((known) => labels[name].map((value) => ({ ...known, [name]: value }))),
    [{} as Record<Name, string>],
  )
}
