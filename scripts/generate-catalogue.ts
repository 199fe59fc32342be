// Writes the files that are made from the catalogue.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createCatalogue } from '../src/tools/catalogue.ts'
import { registry } from '../src/tools/registry.ts'
import { writeCatalogueFiles } from './catalogue-files.ts'

const folder = join(import.meta.dirname, '..')
const read = (name: string) => readFile(join(folder, name), 'utf8')

const catalogue = createCatalogue({
  namespace: 'acme_desk',
  contract: parse(await read('openapi/desk.yaml')) as unknown,
  tools: registry,
})
const { version } = JSON.parse(await read('package.json')) as { version: string }
const say = (line: string) => void process.stderr.write(`${line}\n`)
process.exitCode = (await writeCatalogueFiles({ folder, catalogue, version, say })) ? 0 : 1
