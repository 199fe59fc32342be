// Writes the dashboards to grafana/dashboards/*.json.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { gateway } from '../grafana/dashboards/gateway.ts'
import { ticketService } from '../grafana/dashboards/ticket-service.ts'

const FOLDER = join(import.meta.dirname, '../grafana/dashboards')

for (const [name, dashboard] of [
  ['gateway.json', gateway],
  ['ticket-service.json', ticketService],
] as const) {
  const path = join(FOLDER, name)
  const text = await format(JSON.stringify(dashboard), { ...(await resolveConfig(path)), parser: 'json' })
  await writeFile(path, text)
}
