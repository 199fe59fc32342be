// Ends a run with one plain line that any machine can read.
import type { Reporter, TestModule } from 'vitest/node'

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      if (module.state() === 'failed' && module.children.size === 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state]++
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`${count.passed} passed, ${count.failed + errors.length} failed${skipped}\n`)
  }
}
