// What happens to the desk, as counts. Knows neither a ticket's id nor a person.
import { Counter, Gauge } from 'prom-client'
import type { Event, Problem, Status } from '../../openapi/desk.gen.ts'
import type { Contract } from '../contract.ts'
import { createCounter, createDurations } from './closed-labels.ts'
import type { OpenMetricsRegistry } from './closed-labels.ts'

const TRANSACTION_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]
const STATUSES: readonly Status[] = ['open', 'closed']
/** Counting reads an index from end to end, which scrapers need not do more often. */
const TICKETS_KEPT_MS = 10_000

export interface DeskMetrics {
  readonly refused: (code: Problem['code']) => void
  readonly changed: (type: Event['type']) => void
  readonly replayed: () => void
  readonly exported: (tickets: number) => void
  readonly openEventStreams: (count: number) => void
  readonly transacted: (kind: TransactionKind, seconds: number) => void
}

export type TransactionKind = 'read' | 'write'

export interface DeskMetricsOptions {
  readonly contract: Contract
  readonly countTickets: () => Promise<Readonly<Record<Status, number>>>
  readonly monotonicMs: () => number
}

export function createDeskMetrics(registry: OpenMetricsRegistry, options: DeskMetricsOptions): DeskMetrics {
  const { problemCodes, eventTypes } = options.contract
  const registers = [registry]
  const refusals = createCounter(registry, {
    name: 'desk_service_refusals_total',
    help: 'Requests answered with a problem document, by its code.',
    labels: { code: problemCodes },
  })
  const changes = createCounter(registry, {
    name: 'desk_service_changes_total',
    help: 'Changes committed to the desk, by type; a repeat of an earlier request is none.',
    labels: { type: eventTypes },
  })
  const replays = new Counter({
    name: 'desk_service_idempotent_replays_total',
    help: 'Writes answered with the stored answer of an earlier request that had the same idempotency key.',
    registers,
  })
  const exported = new Counter({
    name: 'desk_service_exported_tickets_total',
    help: 'Tickets read for exports.',
    registers,
  })
  const streams = new Gauge({
    name: 'desk_service_open_event_streams',
    help: 'Open streams of events; past 100 new ones are refused.',
    registers,
  })
  const transactions = createDurations(
    registry,
    {
      name: 'desk_service_transaction_duration_seconds',
      help: 'Duration of transactions, the wait for the one connection to the database included.',
      labels: { kind: ['read', 'write'] },
    },
    TRANSACTION_SECONDS,
  )
  watchTickets(registry, options)
  return {
    refused: (code) => {
      refusals.inc({ code })
    },
    changed: (type) => {
      changes.inc({ type })
    },
    replayed: () => {
      replays.inc()
    },
    exported: (tickets) => {
      exported.inc(tickets)
    },
    openEventStreams: (count) => {
      streams.set(count)
    },
    transacted: (kind, seconds) => {
      transactions.observe({ kind }, seconds)
    },
  }
}

/** Read when it is scraped; absent while the store does not answer. */
function watchTickets(
  registry: OpenMetricsRegistry,
  { countTickets, monotonicMs }: Pick<DeskMetricsOptions, 'countTickets' | 'monotonicMs'>,
): void {
  let countedAt = -Infinity
  new Gauge({
    name: 'desk_service_tickets',
    help: 'Tickets in the desk, by status; counted when scraped, at most every 10 seconds.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      if (monotonicMs() - countedAt < TICKETS_KEPT_MS) return
      countedAt = monotonicMs()
      try {
        const counts = await countTickets()
        for (const status of STATUSES) this.set({ status }, counts[status])
      } catch {
        this.reset()
      }
    },
  })
}
