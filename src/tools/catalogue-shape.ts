// A schema laid flat: one row for each place in it, with what callers depend on there. Enough to judge a change by.
import { digestOf } from './canonical-json.ts'
import type { JsonSchema } from './contract.ts'

export interface Place {
  /** Names of JSON Schema types, with `|` between them; `any` where none is said. */
  readonly type: string
  /** Left out where it is not. */
  readonly required?: true
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  /** Every other keyword that refuses values. */
  readonly limits?: Readonly<Record<string, unknown>>
  /** Short digest of what explains the place: description, title, examples. */
  readonly words?: string
}

/** By path: `tickets[].requester.name`. The whole is at the path ``. */
export type Shape = Readonly<Record<string, Place>>

const WORDS_DIGITS = 8
/** Keywords that have a row of their own or refuse nothing. */
const NO_LIMITS: readonly string[] = [
  ...['type', 'description', 'properties', 'required', 'items', 'anyOf'],
  ...['enum', 'default', 'examples', 'title'],
]

/** Throws when two branches of an `anyOf` describe the same place: a fault of the build, which a row could not tell. */
export function flatten(schema: JsonSchema): Shape {
  const rows = new Map<string, Place>()
  const visit = (node: JsonSchema, path: string, required: boolean) => {
    if (rows.has(path)) throw new Error(`Two branches describe ${path}.`)
    rows.set(path, placeOf(node, required))
    for (const branch of branchesOf(node)) {
      for (const [name, child] of Object.entries(branch.properties ?? {}))
        visit(child, path ? `${path}.${name}` : name, branch.required?.includes(name) ?? false)
      if (branch.items) visit(branch.items, `${path}[]`, true)
    }
  }
  visit(schema, '', true)
  return Object.fromEntries(rows)
}

function placeOf(node: JsonSchema, required: boolean): Place {
  const branches = branchesOf(node)
  const limits = Object.fromEntries(
    branches.flatMap((branch) => Object.entries(branch).filter(([keyword]) => !NO_LIMITS.includes(keyword))),
  )
  const types = [...new Set(branches.flatMap(({ type }) => type ?? []))].sort()
  const values = branches.flatMap((branch) => branch.enum ?? [])
  const words = branches.flatMap(({ description, title, examples }) =>
    [description, title, examples].filter((part) => part !== undefined),
  )
  return {
    type: types.join('|') || 'any',
    ...(required && { required }),
    ...(values.length > 0 && { enum: values }),
    ...(node['default'] !== undefined && { default: node['default'] }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(words.length > 0 && { words: digestOf(words).slice('sha256:'.length).slice(0, WORDS_DIGITS) }),
  }
}

/** What describes the place: the node itself, and all that its `anyOf` offers. */
function branchesOf(node: JsonSchema): readonly JsonSchema[] {
  if (!node.anyOf) return [node]
  const { anyOf, ...own } = node
  return [own, ...anyOf.flatMap(branchesOf)]
}
