// Reads the text that a scraper gets.

/** Series names with their labels, as they are written; without the comments. */
export function seriesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/ # .*$/, '').replace(/ \S+$/, ''))
}

/** The value of one series, e.g. `desk_service_changes_total{type="ticket_closed"}`; undefined where there is none. */
export function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1).split(' ')[0])
}
