// What a catalogue may become: compatible changes at any time, breaking ones with a breaking version only.
import { changesOfTool, type Change } from './catalogue-lock-changes.ts'
import type { CatalogueLock } from './catalogue-lock.ts'

export type LockVerdict =
  | { readonly kind: 'current' }
  /** The lock must be written again, and may be. */
  | { readonly kind: 'stale'; readonly changes: readonly Change[] }
  /** Callers would break without having been warned by the version. */
  | { readonly kind: 'refused'; readonly changes: readonly Change[] }

/** Compares what was promised with what would be served now. */
export function judgeLock(locked: CatalogueLock, current: CatalogueLock): LockVerdict {
  const changes = changesOf(locked, current)
  if (changes.some(({ breaks }) => breaks) && !mayBreak(locked.version, current.version))
    return { kind: 'refused', changes }
  const same = changes.length === 0 && locked.version === current.version && locked.digest === current.digest
  return same ? { kind: 'current' } : { kind: 'stale', changes }
}

/** Every difference, tool by tool. */
export function changesOf(locked: CatalogueLock, current: CatalogueLock): Change[] {
  const names = new Set([...Object.keys(locked.tools), ...Object.keys(current.tools)])
  return [...names].flatMap((tool) => {
    const [before, after] = [locked.tools[tool], current.tools[tool]]
    if (!before) return [{ tool, what: 'is new', breaks: false }]
    if (!after) return [{ tool, what: 'was removed', breaks: true }]
    return changesOfTool(before, after).map((change) => ({ tool, ...change }))
  })
}

/** Semantic Versioning: the major version is greater, or while both are 0 the minor one (clause 4, by convention). */
export function mayBreak(from: string, to: string): boolean {
  const [[fromMajor, fromMinor], [toMajor, toMinor]] = [numbersOf(from), numbersOf(to)]
  return toMajor > fromMajor || (toMajor === 0 && fromMajor === 0 && toMinor > fromMinor)
}

/** One line for each change, for people. */
export function describeChanges(changes: readonly Change[]): string {
  return changes
    .map(({ tool, what, breaks }) => `${breaks ? 'breaks callers' : 'compatible'}: ${tool} ${what}`)
    .join('\n')
}

function numbersOf(version: string): readonly [number, number] {
  const [major = Number.NaN, minor = Number.NaN] = version.split('.').map(Number)
  return [major, minor]
}
