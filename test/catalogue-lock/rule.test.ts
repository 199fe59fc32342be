// Which changes of the catalogue may be made under which version, and what its digest depends on.
import { describe, expect, it } from 'vitest'
import { changesOf, judgeLock, mayBreak } from '../../src/tools/catalogue-lock-rule.ts'
import { lockCatalogue } from '../../src/tools/catalogue-lock.ts'
import { canonicalJson } from '../../src/tools/canonical-json.ts'
import type { CatalogueEntry } from '../../src/tools/catalogue.ts'
import { registry } from '../../src/tools/registry.ts'
import { catalogue } from '../support/catalogue.ts'
import { catalogueOf, changed, entries } from './catalogue-of.ts'

const lock = (some: readonly CatalogueEntry[], version = '0.1.0') => lockCatalogue(catalogueOf(some), version)
const [first, ...rest] = entries as readonly [CatalogueEntry, ...CatalogueEntry[]]

describe('A version', () => {
  it.each([
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '0.10.0', true],
    ['0.1.0', '0.1.1', false],
    ['0.2.0', '0.1.0', false],
    ['0.1.0', '0.1.0', false],
    ['0.9.0', '1.0.0', true],
    ['1.0.0', '1.1.0', false],
    ['1.9.0', '2.0.0', true],
    ['2.0.0', '1.0.0', false],
    ['1.0.0', '0.9.0', false],
    ['0.1.0', 'next', false],
    ['1.0.0', '2.0.0-rc.1', true],
  ])('from %s to %s permits breaking changes: %s', (from, to, permits) => {
    expect(mayBreak(from, to)).toBe(permits)
  })
})

describe('The rule', () => {
  it('finds a catalogue current that is as it was, in whatever order', () => {
    expect(judgeLock(lock(entries), lock([...rest, first]))).toEqual({ kind: 'current' })
  })

  it.each(registry.map(({ name }) => name))('refuses that %s is removed under the same version', (name) => {
    const without = entries.filter(({ tool }) => tool.name !== name)
    const changes = [{ tool: name, what: 'was removed', breaks: true }]
    expect(judgeLock(lock(entries), lock(without, '0.1.9'))).toEqual({ kind: 'refused', changes })
    expect(judgeLock(lock(entries), lock(without, '0.2.0'))).toEqual({ kind: 'stale', changes })
  })

  it('permits a new tool under the same version', () => {
    const changes = [{ tool: first.tool.name, what: 'is new', breaks: false }]
    expect(judgeLock(lock(rest), lock(entries))).toEqual({ kind: 'stale', changes })
  })

  it('sees a renamed tool as one that went and one that came', () => {
    const renamed = [changed(first, { tool: { name: 'tickets_find' } }), ...rest]
    expect(changesOf(lock(entries), lock(renamed)).map(({ breaks }) => breaks)).toEqual([true, false])
  })

  it('refuses what no word was found for, because nobody has judged it', () => {
    const locked = lock(entries)
    const tools = {
      ...locked.tools,
      [first.tool.name]: { ...lock(entries).tools[first.tool.name], digest: 'sha256:0' },
    }
    expect(judgeLock({ ...locked, tools } as typeof locked, locked)).toMatchObject({
      kind: 'refused',
      changes: [{ tool: first.tool.name, breaks: true }],
    })
  })
})

describe('The digest', () => {
  it('is the same in every namespace and order', () => {
    expect(catalogueOf([...rest, first], 'other').digest).toBe(catalogue.digest)
    expect(catalogue.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it.each([
    ['name', { tool: { name: 'tickets_find' } }],
    ['title', { wire: { title: 'Other' } }],
    ['description', { wire: { description: 'Find.' } }],
    ['scope', { tool: { scope: 'desk:admin' } }],
    ['hint', { wire: { annotations: { ...first.wire.annotations, openWorldHint: true } } }],
    ['input', { wire: { inputSchema: first.wire.outputSchema } }],
  ] as const)('is another with another %s', (_part, change) => {
    expect(catalogueOf([changed(first, change), ...rest]).digest).not.toBe(catalogue.digest)
  })

  it('does not depend on the order of keys, but on that of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 'é' })).toBe('{"a":"é","b":[{"c":2,"d":1}]}')
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
    expect(canonicalJson({ 9: [], 10: {}, b: undefined })).toBe('{"10":{},"9":[]}')
  })
})
