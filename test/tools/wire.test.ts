// The public surface as reviewed files: a change to what clients see shows up in the diff.
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { registry } from '../../src/tools/registry.ts'
import { entryOf } from '../support/catalogue.ts'

describe('What clients are shown', () => {
  it.each(registry.map(({ name }) => name))('of %s is what was reviewed', async (name) => {
    const shown = `${JSON.stringify(entryOf(name).wire, null, 2)}\n`
    await expect(shown).toMatchFileSnapshot(`./wire/${name}.json`)
  })

  it('has no file of a tool that is gone', () => {
    const files = readdirSync(new URL('./wire/', import.meta.url))
    expect(files.sort()).toEqual(registry.map(({ name }) => `${name}.json`).sort())
  })
})
