// A catalogue with changed tools, without compiling a validator again, which takes far longer than what is tested.
import { catalogueDigest } from '../../src/tools/catalogue-digest.ts'
import type { Catalogue, CatalogueEntry } from '../../src/tools/catalogue.ts'
import { registry } from '../../src/tools/registry.ts'
import { entryOf } from '../support/catalogue.ts'

export const entries: readonly CatalogueEntry[] = registry.map(({ name }) => entryOf(name))

export interface ToolChange {
  readonly tool?: Partial<CatalogueEntry['tool']>
  readonly wire?: Partial<CatalogueEntry['wire']>
}

export function changed(entry: CatalogueEntry, { tool = {}, wire = {} }: ToolChange): CatalogueEntry {
  return { ...entry, tool: { ...entry.tool, ...tool }, wire: { ...entry.wire, ...wire } }
}

export function catalogueOf(some: readonly CatalogueEntry[], namespace = 'acme_desk'): Catalogue {
  const wireName = (tool: string) => `${namespace}__${tool}`
  const named = some.map((entry) => changed(entry, { wire: { name: wireName(entry.tool.name) } }))
  return {
    list: named.map(({ wire }) => wire),
    digest: catalogueDigest(named),
    get: (name) => named.find(({ wire }) => wire.name === name),
    wireName,
  }
}
