import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/** Tests that need a program of the system. Where it is missing they are left out, but never in CI, which installs it. */
const NEEDS = {
  'test/doctor/redis.test.ts': ['redis-server'],
  'test/grafana/rules.test.ts': ['promtool'],
  'test/grafana/live.test.ts': ['prometheus', 'redis-server'],
  'test/images/compose.test.ts': ['docker-compose'],
  'test/oauth/browser.test.ts': ['chromium', 'openssl'],
  'test/limits/shared-limits.test.ts': ['redis-server'],
}

const folders = (process.env['PATH'] ?? '').split(delimiter)
const isInstalled = (program: string) => folders.some((folder) => existsSync(join(folder, program)))
const leftOut = Object.entries(NEEDS).filter(
  ([, programs]) => process.env['CI'] === undefined && !programs.every(isInstalled),
)
for (const [file, programs] of leftOut)
  process.stderr.write(`Left out: ${file}, which needs ${programs.join(' and ')}.\n`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut.map(([file]) => file)],
    pool: 'forks',
    // Nothing in the project keeps state in a module, so test files can share what they load: a third of the time.
    isolate: false,
    globalSetup: ['./test/support/compiled.ts', './test/support/kept-logs.ts'],
    reporters: ['default', './test/support/count-reporter.ts'],
    // One more than the cores that CI has: many tests wait for a deadline.
    maxWorkers: 3,
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
