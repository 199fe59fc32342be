// The catalogue as the gateway builds it, for tests of the tool layer alone.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createCatalogue, type CatalogueEntry } from '../../src/tools/catalogue.ts'
import { registry } from '../../src/tools/registry.ts'

export const CONTRACT: unknown = parse(
  readFileSync(new URL('../../openapi/desk.yaml', import.meta.url), 'utf8'),
)

export const NAMESPACE = 'acme_desk'

export const catalogue = createCatalogue({ namespace: NAMESPACE, contract: CONTRACT, tools: registry })

/** An entry by the tool's short name. */
export function entryOf(tool: string): CatalogueEntry {
  const entry = catalogue.get(catalogue.wireName(tool))
  if (!entry) throw new Error(`There is no tool ${tool}.`)
  return entry
}
