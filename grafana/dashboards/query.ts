// PromQL as the panels need it: rates and quantiles over what the variables at the top of the dashboard select.

/** What a series must match to be of the chosen process. */
export const CHOSEN = 'job=~"$job", instance=~"$instance"'

interface Grouping {
  /** Labels that stay; the others are summed over. */
  readonly by?: string
  /** Further matchers. */
  readonly where?: string
}

/** A series as it stands. */
export function level(metric: string, where?: string): string {
  return `${metric}{${[CHOSEN, where].filter(Boolean).join(', ')}}`
}

/** Events a second. */
export function rate(metric: string, { by, where }: Grouping = {}): string {
  const summed = by === undefined ? 'sum' : `sum by (${by}) `
  return `${summed}(rate(${level(metric, where)}[$__rate_interval]))`
}

/** The share of events that match `part`; nothing where there are no events. */
export function share(metric: string, part: string, { by, where }: Grouping = {}): string {
  const matching = [where, part].filter(Boolean).join(', ')
  const all = rate(metric, { ...(by && { by }), ...(where && { where }) })
  return `${rate(metric, { ...(by && { by }), where: matching })} / (${all} > 0)`
}

/** Seconds within which the share `q` of what the histogram counted was done. */
export function quantile(q: number, histogram: string, { by, where }: Grouping = {}): string {
  const labels = by === undefined ? 'le' : `le, ${by}`
  return `histogram_quantile(${q}, ${rate(`${histogram}_bucket`, { by: labels, ...(where && { where }) })})`
}
