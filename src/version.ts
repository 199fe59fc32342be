import { readFileSync } from 'node:fs'
import { version } from 'node:process'

/** Of Node, e.g. `v20.19.0`. */
export const nodeVersion = version

/** Version of the package. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
