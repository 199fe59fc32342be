// Measures a store's transactions from outside: what a caller waits for, the queue at the connection included.
import type { Store } from '../store/store.ts'
import type { DeskMetrics, TransactionKind } from './desk-metrics.ts'

/** The same store; refusals and failures count like any other transaction. */
export function timeTransactions(
  store: Store,
  { transacted }: Pick<DeskMetrics, 'transacted'>,
  monotonicMs: () => number,
): Store {
  const timed = async <Value>(kind: TransactionKind, work: () => Promise<Value>): Promise<Value> => {
    const startedAt = monotonicMs()
    try {
      return await work()
    } finally {
      transacted(kind, (monotonicMs() - startedAt) / 1000)
    }
  }
  return {
    ...store,
    snapshot: (read) => timed('read', () => store.snapshot(read)),
    write: (request, decide) => timed('write', () => store.write(request, decide)),
  }
}
