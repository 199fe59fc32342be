// Digests of what clients are promised: equal for equal catalogues, in whatever namespace they are served.
import { digestOf } from './canonical-json.ts'
import type { CatalogueEntry } from './catalogue.ts'

/** Of a tool as clients see it, less the namespace, and of the scope that it needs. `sha256:` and 64 hex digits. */
export function toolDigest({ tool, wire }: Pick<CatalogueEntry, 'tool' | 'wire'>): string {
  return digestOf({ ...wire, name: tool.name, scope: tool.scope })
}

/** Of all tools, whatever their order. */
export function catalogueDigest(entries: Iterable<CatalogueEntry>): string {
  return digestOf(Object.fromEntries([...entries].map((entry) => [entry.tool.name, toolDigest(entry)])))
}
