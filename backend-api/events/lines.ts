// Events as lines for a person to read.
import type { TracedEvent } from '../store/events.ts'

const HEADINGS = ['when', 'ticket', 'what', 'who', 'through', 'request']

/** Columns as wide as their widest value, under their headings. */
export function linesOf(events: readonly TracedEvent[]): string[] {
  const rows = [HEADINGS, ...events.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function cellsOf(event: TracedEvent): string[] {
  const what = event.type.replace(/^ticket_/, '')
  const cells = [event.created_at, event.ticket_id, what, event.actor_id, event.client_id]
  return [...cells, event.request_id ?? '-'].map(printable)
}

/** The issuer chooses what a client is called; a terminal must not obey it. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Z}]/gu, '?')
}
