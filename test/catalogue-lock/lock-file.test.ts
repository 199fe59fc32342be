// The catalogue that is served is the one that was promised: `catalog.lock.json`, which a person reviewed.
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkCatalogueFiles, writeCatalogueFiles } from '../../scripts/catalogue-files.ts'
import { catalogue } from '../support/catalogue.ts'
import { catalogueOf, changed, entries, type ToolChange } from './catalogue-of.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

describe('The files made from the catalogue', () => {
  it('are current; else npm run generate writes them, unless callers break', async () => {
    const lines: string[] = []
    const current = await checkCatalogueFiles({
      folder: ROOT,
      catalogue,
      version,
      say: (line) => lines.push(line),
    })
    expect(current, lines.join('\n')).toBe(true)
  })
})

describe('The generator', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
    for (const name of ['catalog.lock.json', 'server.json']) await cp(join(ROOT, name), join(folder, name))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const withClosing = (change: ToolChange) =>
    catalogueOf(
      entries.map((entry) => (entry.tool.name === 'ticket_close' ? changed(entry, change) : entry)),
      'other_desk',
    )
  async function run(of: typeof checkCatalogueFiles, change: ToolChange, packageVersion = version) {
    const lines: string[] = []
    const say = (line: string) => lines.push(line)
    const done = await of({ folder, catalogue: withClosing(change), version: packageVersion, say })
    return { done, said: lines.join('\n') }
  }

  it('finds the files current whatever the namespace', async () => {
    expect(await run(checkCatalogueFiles, {})).toEqual({ done: true, said: '' })
  })

  it('writes a compatible change and says what it is', async () => {
    const change = { wire: { title: 'Shut a ticket' } }
    const checked = await run(checkCatalogueFiles, change)
    expect(checked.done).toBe(false)
    expect(checked.said).toMatch(
      /^compatible: ticket_close has another title\nNot current: catalog.lock.json/,
    )
    expect(await run(writeCatalogueFiles, change)).toMatchObject({ done: true })
    expect(await run(checkCatalogueFiles, change)).toEqual({ done: true, said: '' })
    expect(JSON.parse(await read('catalog.lock.json'))).toMatchObject({
      digest: withClosing(change).digest,
      tools: { ticket_close: change.wire },
    })
  })

  it('writes over a breaking change only with a breaking version', async () => {
    const change = { tool: { scope: 'desk:admin' } } as const
    const locked = await read('catalog.lock.json')
    const refused = await run(writeCatalogueFiles, change)
    expect(refused.done).toBe(false)
    expect(refused.said).toMatch(/^breaks callers: ticket_close needs the scope desk:admin, .*\nThe version/)
    expect(await read('catalog.lock.json')).toBe(locked)

    expect(await run(writeCatalogueFiles, change, '1.0.0')).toMatchObject({ done: true })
    expect(await run(checkCatalogueFiles, change, '1.0.0')).toEqual({ done: true, said: '' })
    expect(JSON.parse(await read('server.json'))).toMatchObject({ version: '1.0.0' })
  })

  it('writes again when the version is another, so that a digest and a version belong together', async () => {
    expect(await run(checkCatalogueFiles, {}, '0.1.1')).toMatchObject({ done: false })
    expect(await run(writeCatalogueFiles, {}, '0.1.1')).toEqual({ done: true, said: '' })
    expect(JSON.parse(await read('catalog.lock.json'))).toMatchObject({ version: '0.1.1' })
  })
})
