// Metrics whose labels take listed values only. Every child exists from the start, so that a rate sees its first event.
import { Counter, Histogram } from 'prom-client'
import type { OpenMetricsContentType, Registry } from 'prom-client'

export type OpenMetricsRegistry = Registry<OpenMetricsContentType>

/** The values that each label of a metric can have. */
export type ClosedLabels<Label extends string> = Readonly<Record<Label, readonly string[]>>

export interface Description<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labels: ClosedLabels<Label>
}

export function createCounter<Label extends string>(
  registry: OpenMetricsRegistry,
  { name, help, labels }: Description<Label>,
): Counter<Label> {
  const counter = new Counter({ name, help, labelNames: namesOf(labels), registers: [registry] })
  for (const child of combinations(labels)) counter.inc(child, 0)
  return counter
}

/** In seconds. */
export function createDurations<Label extends string>(
  registry: OpenMetricsRegistry,
  { name, help, labels }: Description<Label>,
  buckets: readonly number[],
): Histogram<Label> {
  const labelNames = namesOf(labels)
  const histogram = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] })
  for (const child of combinations(labels)) histogram.zero(child)
  return histogram
}

function namesOf<Label extends string>(labels: ClosedLabels<Label>): Label[] {
  return Object.keys(labels) as Label[]
}

function combinations<Label extends string>(labels: ClosedLabels<Label>): Record<Label, string>[] {
  return namesOf(labels).reduce<Record<Label, string>[]>(
    (sets, label) => sets.flatMap((set) => labels[label].map((value) => ({ ...set, [label]: value }))),
    [{} as Record<Label, string>],
  )
}
