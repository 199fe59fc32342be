// Five thousand calls with faults among them leave nothing behind; `npm run soak` does forty times as many.
import { expect, it } from 'vitest'
import { soak } from '../support/soak.ts'

it('calls with 2 % faults leave no memory, socket or timer behind', async () => {
  const { early, late, failedShare } = await soak(2_000, 5_000)
  expect(failedShare).toBeLessThan(0.05)
  // A short run still sees the heap grow to its working size; the long one holds it to a tenth.
  expect(late.rssBytes / early.rssBytes).toBeLessThan(1.3)
  expect(late.sockets).toBeLessThanOrEqual(early.sockets + 10)
  expect(late.timers).toBeLessThanOrEqual(early.timers + 10)
}, 120_000)
