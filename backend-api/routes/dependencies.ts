// What the routes are made of; the composition root hands it in.
import type { Logger } from 'pino'
import type { Cursors } from '../paging/cursor.ts'
import type { Store } from '../store/store.ts'
import type { DeskMetrics } from '../telemetry/desk-metrics.ts'

export interface RouteDependencies {
  readonly store: Store
  readonly cursors: Cursors
  readonly clock: () => Date
  /** Aborted when the service begins to stop: streams end, readiness is over. */
  readonly stopping: AbortSignal
  /** After how long without an event a stream gets a comment line. */
  readonly quietStreamMs: number
  readonly contractJson: string
  /** Markdown. */
  readonly policy: string
  readonly log: Logger
  readonly metrics: DeskMetrics
}
