// The catalogue as it was promised to callers, in a form to keep in a file: what `catalog.lock.json` holds.
import { toolDigest } from './catalogue-digest.ts'
import { flatten, type Shape } from './catalogue-shape.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Hints } from './define-tool.ts'

export interface LockedTool {
  readonly digest: string
  readonly title: string
  readonly description: string
  readonly scope: string
  readonly annotations: Hints
  readonly input: Shape
  readonly output: Shape
}

export interface CatalogueLock {
  /** Of the package when the catalogue was locked. */
  readonly version: string
  readonly digest: string
  /** By name, without the namespace. */
  readonly tools: Readonly<Record<string, LockedTool>>
}

export function lockCatalogue(catalogue: Catalogue, version: string): CatalogueLock {
  const entries = catalogue.list.flatMap(({ name }) => catalogue.get(name) ?? [])
  return {
    version,
    digest: catalogue.digest,
    tools: Object.fromEntries(entries.map((entry) => [entry.tool.name, lockTool(entry)])),
  }
}

export function lockTool(entry: Pick<CatalogueEntry, 'tool' | 'wire'>): LockedTool {
  const { title, description, annotations, inputSchema, outputSchema } = entry.wire
  return {
    digest: toolDigest(entry),
    title,
    description,
    scope: entry.tool.scope,
    annotations,
    input: flatten(inputSchema),
    output: flatten(outputSchema),
  }
}
