// The series of a gateway's metrics, to see which of them a request moves.
import type { Metrics } from '../../src/telemetry/metrics.ts'

export type Series = ReadonlyMap<string, number>

/** Every series with its value, labels as they stand in the text, exemplars left off; those of Node and the process left out. */
export async function readSeries({ registry }: Pick<Metrics, 'registry'>): Promise<Series> {
  const lines = (await registry.metrics()).split('\n').filter((line) => /^(?!#|process_|nodejs_)./.test(line))
  return new Map(
    lines.map((line) => {
      const [, series = '', value] = /^(\S+?\{.*?\}|\S+) ([^ ]+)( # .*)?$/.exec(line) ?? []
      return [series, Number(value)]
    }),
  )
}

/** By how much each series has changed; of a histogram the count alone. */
export function changesOf(before: Series, after: Series): Record<string, number> {
  const changed = [...after].filter(
    ([series, value]) => !/_(sum|bucket)\{/.test(series) && value !== (before.get(series) ?? 0),
  )
  return Object.fromEntries(changed.map(([series, value]) => [series, value - (before.get(series) ?? 0)]))
}
