// Every kind of change, made to every tool at every place where it can be made: is it named, and is it judged rightly?
import { describe, expect, it } from 'vitest'
import { changesOfTool } from '../../src/tools/catalogue-lock-changes.ts'
import { lockTool } from '../../src/tools/catalogue-lock.ts'
import type { CatalogueEntry } from '../../src/tools/catalogue.ts'
import { registry } from '../../src/tools/registry.ts'
import { entryOf } from '../support/catalogue.ts'

interface Node {
  [keyword: string]: unknown
  type?: string | string[]
  properties?: Record<string, Node>
  required?: string[]
  items?: Node
  anyOf?: Node[]
  enum?: unknown[]
}
type Side = 'inputSchema' | 'outputSchema'

/** A change to the property `name` of an object; undefined where it cannot be made. */
interface Kind {
  readonly name: string
  readonly make: (object: Node, name: string) => RegExp | undefined
  readonly breaks: Readonly<Record<Side, boolean>>
}

const breaksInput = { inputSchema: true, outputSchema: false }
const breaksOutput = { inputSchema: false, outputSchema: true }
const breaksBoth = { inputSchema: true, outputSchema: true }
const breaksNone = { inputSchema: false, outputSchema: false }

/** Changes a keyword of the property, where it has it. */
function keyword(name: string, change: (value: never) => unknown, said: RegExp) {
  return (object: Node, property: string) => {
    const node = object.properties?.[property]
    if (!node || !(name in node)) return undefined
    node[name] = change(node[name] as never)
    return said
  }
}

/** A type that is not among these. */
const oneMore = (type: string | string[]) => (type.includes('boolean') ? 'integer' : 'boolean')

const KINDS: readonly Kind[] = [
  {
    name: 'a property removed',
    breaks: breaksBoth,
    make: ({ properties = {}, ...object }, name) => {
      Reflect.deleteProperty(properties, name)
      object.required?.splice(object.required.indexOf(name), object.required.includes(name) ? 1 : 0)
      return /was removed/
    },
  },
  {
    name: 'a required property added',
    breaks: breaksInput,
    make: (object) => {
      Object.assign(object.properties ?? {}, { brand_new: { type: 'string' } })
      object.required = [...(object.required ?? []), 'brand_new']
      return /brand_new is new/
    },
  },
  {
    name: 'an optional property added',
    breaks: breaksNone,
    make: (object) => {
      const properties = { inner: { type: 'string' } }
      const added = { type: 'object', properties, required: ['inner'] }
      Object.assign(object.properties ?? {}, { brand_new: added })
      return /brand_new is new$/
    },
  },
  {
    name: 'a property now required',
    breaks: breaksInput,
    make: (object, name) => {
      if (object.required?.includes(name)) return undefined
      object.required = [...(object.required ?? []), name]
      return /is now required/
    },
  },
  {
    name: 'a property now optional',
    breaks: breaksOutput,
    make: (object, name) => {
      if (!object.required?.includes(name)) return undefined
      object.required = object.required.filter((other) => other !== name)
      return /is now optional/
    },
  },
  {
    name: 'another type',
    breaks: breaksBoth,
    make: keyword('type', (type: unknown) => (type === 'integer' ? 'string' : 'integer'), /is .*, no longer/),
  },
  {
    name: 'one more type',
    breaks: breaksOutput,
    make: keyword('type', (type: string | string[]) => [oneMore(type), type].flat(), /is .*[|].*, no longer/),
  },
  {
    name: 'null no longer allowed',
    breaks: breaksInput,
    make: (object, name) => {
      const node = object.properties?.[name]
      if (!node?.anyOf) return undefined
      node.anyOf = node.anyOf.filter(({ type }) => type !== 'null')
      return /no longer .*null/
    },
  },
  {
    name: 'an enum narrowed',
    breaks: breaksInput,
    make: keyword('enum', (values: unknown[]) => values.slice(1), /no longer has the value "/),
  },
  {
    name: 'an enum widened',
    breaks: breaksOutput,
    make: keyword('enum', (values: unknown[]) => [...values, 'more'], /also has the value "more"/),
  },
  {
    name: 'an enum where there was none',
    breaks: breaksInput,
    make: (object, name) => {
      const node = object.properties?.[name]
      if (node?.type !== 'string' || node.enum) return undefined
      node.enum = ['only']
      return /is now one of "only"/
    },
  },
  {
    name: 'an enum opened',
    breaks: breaksOutput,
    make: keyword('enum', () => undefined, /is no longer one of a closed set/),
  },
  {
    name: 'a tighter bound',
    breaks: breaksInput,
    make: keyword('maxLength', (length: number) => length - 1, /has maxLength \d+, no longer \d+/),
  },
  {
    name: 'a looser bound',
    breaks: breaksOutput,
    make: keyword('minLength', (length: number) => length - 1, /has minLength \d+, no longer \d+/),
  },
  {
    name: 'a bound where there was none',
    breaks: breaksInput,
    make: (object, name) => {
      const node = object.properties?.[name]
      if (node?.type !== 'string' || 'maxLength' in node) return undefined
      node['maxLength'] = 5
      return /has maxLength 5, no longer none/
    },
  },
  {
    name: 'another pattern',
    breaks: breaksBoth,
    make: keyword('pattern', (pattern: string) => `${pattern}|x`, /has pattern .*, no longer/),
  },
  {
    name: 'another default',
    breaks: breaksNone,
    make: keyword('default', () => 'other', /has another default/),
  },
  {
    name: 'another description',
    breaks: breaksNone,
    make: keyword('description', () => 'In other words.', /is described in other words/),
  },
]

const names = registry.map(({ name }) => name)

/** Where each kind of change is made, so that some seconds are enough. */
const PLACES_MAX = 4

describe.each(names)('In %s', (tool) => {
  const locked = lockTool(entryOf(tool))

  describe.each(['inputSchema', 'outputSchema'] as const)('the %s', (side) => {
    it.each(KINDS)('with $name is told, and is judged right', ({ make, breaks }) => {
      let made = 0
      for (const place of placesIn(entryOf(tool).wire[side] as Node)) {
        const changed = changedWire(tool)
        const said = make(place.find(changed.wire[side] as Node), place.property)
        if (!said) continue
        const changes = changesOfTool(locked, lockTool(changed))
        const told = changes.find(({ what }) => said.test(what))
        expect(told, `${place.property}: ${JSON.stringify(changes)}`).toMatchObject({ breaks: breaks[side] })
        if ((made += 1) === PLACES_MAX) break
      }
    })
  })

  it('nothing can change in silence, or without a word for it', () => {
    const { length } = leavesOf(entryOf(tool).wire)
    expect(length).toBeGreaterThan(50)
    for (let index = 0; index < length; index += 1) {
      const changed = changedWire(tool)
      const leaf = leavesOf(changed.wire)[index]
      if (!leaf || leaf.key === 'name') continue
      leaf.holder[leaf.key] = typeof leaf.value === 'boolean' ? !leaf.value : `${String(leaf.value)}x`
      const changes = changesOfTool(locked, lockTool(changed)).map(({ what }) => what)
      expect(changes, leaf.key).not.toEqual([])
      expect(changes.join(), leaf.key).not.toContain('cannot judge')
    }
  })

  it.each([
    ['readOnlyHint', true],
    ['destructiveHint', false],
    ['idempotentHint', true],
    ['openWorldHint', false],
  ] as const)('%s breaks callers unless it becomes %s', (hint, reassuring) => {
    const changed = changedWire(tool)
    const becomes = !entryOf(tool).wire.annotations[hint]
    Object.assign(changed.wire.annotations, { [hint]: becomes })
    expect(changesOfTool(locked, lockTool(changed))).toEqual([
      {
        what: `has ${hint} ${String(becomes)}, no longer ${String(!becomes)}`,
        breaks: becomes !== reassuring,
      },
    ])
  })

  it('another scope breaks callers', () => {
    const { wire, tool: definition } = entryOf(tool)
    const scope = definition.scope === 'desk:admin' ? 'tickets:read' : 'desk:admin'
    const changed = lockTool({ wire, tool: { ...definition, scope } })
    expect(changesOfTool(locked, changed)).toEqual([
      { what: `needs the scope ${scope}, no longer ${definition.scope}`, breaks: true },
    ])
  })
})

function changedWire(tool: string): Pick<CatalogueEntry, 'tool' | 'wire'> {
  const { tool: definition, wire } = entryOf(tool)
  return { tool: definition, wire: structuredClone(wire) }
}

interface Found {
  readonly property: string
  /** The object that has the property, in a schema of the same form. */
  readonly find: (schema: Node) => Node
}

/** Every property of every object in a schema. */
function placesIn(schema: Node, find: Found['find'] = (root) => root): Found[] {
  const { properties = {}, items, anyOf = [] } = schema
  const here = Object.keys(properties).map((property) => ({ property, find }))
  const below = Object.entries(properties).flatMap(([name, child]) =>
    placesIn(child, (root) => find(root).properties?.[name] ?? {}),
  )
  const inItems = items ? placesIn(items, (root) => find(root).items ?? {}) : []
  const inBranches = anyOf.flatMap((branch, index) =>
    placesIn(branch, (root) => find(root).anyOf?.[index] ?? {}),
  )
  return [...here, ...below, ...inItems, ...inBranches]
}

interface Leaf {
  readonly holder: Record<string, unknown>
  readonly key: string
  readonly value: unknown
}

/** Every value in a JSON document that is no object and no array. */
function leavesOf(node: object): Leaf[] {
  const holder = node as Record<string, unknown>
  return Object.entries(holder).flatMap(([key, value]) =>
    value !== null && typeof value === 'object' ? leavesOf(value) : [{ holder, key, value }],
  )
}
