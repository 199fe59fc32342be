import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeMetrics } from '../../scripts/describe-metrics.ts'

it('grafana/METRICS.md is current (npm run generate)', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../grafana/METRICS.md'), 'utf8')
  expect(await describeMetrics()).toBe(page)
})
