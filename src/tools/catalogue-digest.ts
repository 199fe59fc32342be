// Digests of what clients are promised: equal for equal catalogues, in whatever namespace they are served.
import { createHash } from 'node:crypto'
import type { CatalogueEntry } from './catalogue.ts'

/** Of a tool as clients see it, less the namespace, and of the scope that it needs. `sha256:` and 64 hex digits. */
export function toolDigest({ tool, wire }: Pick<CatalogueEntry, 'tool' | 'wire'>): string {
  return digestOf({ ...wire, name: tool.name, scope: tool.scope })
}

/** Of all tools, whatever their order. */
export function catalogueDigest(entries: Iterable<CatalogueEntry>): string {
  return digestOf(Object.fromEntries([...entries].map((entry) => [entry.tool.name, toolDigest(entry)])))
}

/** SHA-256 over the value's canonical JSON. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
}

/** RFC 8785 for values that came from JSON: no space, keys in the order of their UTF-16 code units. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => (isObject(node) ? sorted(node) : node))
}

function sorted(node: object): object {
  const inOrder = Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(inOrder)
}

function isObject(node: unknown): node is object {
  return node !== null && typeof node === 'object' && !Array.isArray(node)
}
