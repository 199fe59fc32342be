// The two files that are made from the catalogue, catalog.lock.json and server.json: are they current, may they change?

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format } from 'prettier'
import type { Catalogue } from '../src/tools/catalogue.ts'
import { describeChanges, judgeLock } from '../src/tools/catalogue-lock-rule.ts'
import { lockCatalogue, type CatalogueLock } from '../src/tools/catalogue-lock.ts'
import { registryEntry } from './registry-entry.ts'

const LOCK = 'catalog.lock.json'
const SERVER = 'server.json'
const STYLE = { printWidth: 110, parser: 'json' }

export interface CatalogueFiles {
  readonly folder: string
  readonly catalogue: Catalogue
  /** Of the package. */
  readonly version: string
  readonly say: (line: string) => void
}

/** Writes what is not current. False, and nothing is written, when callers would break without a breaking version. */
export async function writeCatalogueFiles(files: CatalogueFiles): Promise<boolean> {
  const stale = await findStale(files)
  if (!stale) return false
  for (const { name, text } of stale) await writeFile(join(files.folder, name), text)
  return true
}

/** Whether both files are current. Says what is not. */
export async function checkCatalogueFiles(files: CatalogueFiles): Promise<boolean> {
  const stale = await findStale(files)
  if (stale?.length === 0) return true
  if (stale) files.say(`Not current: ${stale.map(({ name }) => name).join(', ')}. Run npm run generate.`)
  return false
}

/** What to write; undefined when it may not be. */
async function findStale({ folder, catalogue, version, say }: CatalogueFiles) {
  const current = lockCatalogue(catalogue, version)
  const locked = await readIfThere(join(folder, LOCK))
  if (locked !== undefined && !judge(JSON.parse(locked) as CatalogueLock, current, say)) return undefined
  const contents = [
    [LOCK, current],
    [SERVER, registryEntry(current)],
  ] as const
  const texts = await Promise.all(
    contents.map(async ([name, content]) => ({ name, text: await format(JSON.stringify(content), STYLE) })),
  )
  const written = await Promise.all(texts.map(({ name }) => readIfThere(join(folder, name))))
  return texts.filter(({ text }, index) => text !== written[index])
}

function judge(locked: CatalogueLock, current: CatalogueLock, say: CatalogueFiles['say']): boolean {
  const verdict = judgeLock(locked, current)
  switch (verdict.kind) {
    case 'current':
      return true
    case 'stale':
      if (verdict.changes.length > 0) say(describeChanges(verdict.changes))
      return true
    case 'refused':
      say(describeChanges(verdict.changes))
      say(
        `The version is still ${current.version}: raise it in package.json (the major number, or while that is 0 the ` +
          'minor one), or take back what breaks callers.',
      )
      return false
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
