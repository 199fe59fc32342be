// What changed between two states of one tool, in words, and whether a caller who knows the old one breaks.
// One rule for both sides: an input may accept more and never less, an output may promise more and never less.
import { differences, type Difference, type Effect } from './catalogue-lock-effects.ts'
import type { LockedTool } from './catalogue-lock.ts'
import type { Shape } from './catalogue-shape.ts'
import type { Hints } from './define-tool.ts'

export interface Change {
  readonly tool: string
  /** Goes on from the tool's name. */
  readonly what: string
  readonly breaks: boolean
}

type OfTool = Omit<Change, 'tool'>
type Side = 'input' | 'output'

/** Hints that callers rely on to go without asking; each may only become more reassuring. */
const REASSURING: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export function changesOfTool(before: LockedTool, after: LockedTool): OfTool[] {
  const changes = [
    ...wordChanges(before, after),
    ...scopeChanges(before, after),
    ...hintChanges(before.annotations, after.annotations),
    ...shapeChanges('input', before.input, after.input),
    ...shapeChanges('output', before.output, after.output),
  ]
  if (changes.length > 0 || before.digest === after.digest) return changes
  // Nothing above has a word for it, so nobody has judged it.
  return [{ what: 'changed in a way that the lock cannot judge', breaks: true }]
}

function wordChanges(before: LockedTool, after: LockedTool): OfTool[] {
  return (['title', 'description'] as const)
    .filter((part) => before[part] !== after[part])
    .map((part) => ({ what: `has another ${part}`, breaks: false }))
}

function scopeChanges(before: LockedTool, after: LockedTool): OfTool[] {
  if (before.scope === after.scope) return []
  return [{ what: `needs the scope ${after.scope}, no longer ${before.scope}`, breaks: true }]
}

function hintChanges(before: Hints, after: Hints): OfTool[] {
  return (Object.keys(REASSURING) as (keyof Hints)[])
    .filter((hint) => before[hint] !== after[hint])
    .map((hint) => ({
      what: `has ${hint} ${String(after[hint])}, no longer ${String(before[hint])}`,
      breaks: after[hint] !== REASSURING[hint],
    }))
}

function shapeChanges(side: Side, before: Shape, after: Shape): OfTool[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return paths.flatMap((path) =>
    placeChanges(side, path, before, after).map(([what, effect]) => ({
      what: `${side} ${path || 'as a whole'} ${what}`,
      breaks: breaks(side, effect),
    })),
  )
}

function breaks(side: Side, effect: Effect): boolean {
  switch (effect) {
    case 'narrower':
      return side === 'input'
    case 'wider':
      return side === 'output'
    case 'other':
      return true
    case 'neither':
      return false
  }
}

function placeChanges(side: Side, path: string, before: Shape, after: Shape): Difference[] {
  const [was, is] = [before[path], after[path]]
  if (was && is) return differences(was, is)
  // What comes or goes with the place around it is told there.
  const around = parentOf(path)
  if (before[around] === undefined || after[around] === undefined) return []
  // Objects are closed: an argument that is gone is refused, and a field that is gone is missed.
  if (was) return [['was removed', side === 'input' ? 'narrower' : 'wider']]
  if (is?.required === true && side === 'input') return [['is new and required', 'narrower']]
  return [['is new', 'neither']]
}

function parentOf(path: string): string {
  return path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, Math.max(0, path.lastIndexOf('.')))
}
