// Writes grafana/METRICS.md.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeMetrics } from './describe-metrics.ts'

await writeFile(join(import.meta.dirname, '../grafana/METRICS.md'), await describeMetrics())
