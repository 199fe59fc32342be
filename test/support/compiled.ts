// The product as plain JavaScript, made once before the tests: a process that strips types from hundreds of files as it
// starts needs twice the time, and the tests start a hundred processes.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const PROJECT = join(import.meta.dirname, '../..')
/** Below node_modules, so that packages are found from there and no tool of ours looks at it. */
const COMPILED = join(PROJECT, 'node_modules/.cache/desk-compiled')
const FOLDERS = ['src', 'backend-api', 'openapi']
const IS_MADE = 'DESK_COMPILED'

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  rewriteRelativeImportExtensions: true,
}

/** What to give to Node to run a program of the product: its compiled form where there is one, else the source. */
export function programOf(file: string): string[] {
  if (process.env[IS_MADE] === undefined) return ['--import', 'tsx', join(PROJECT, file)]
  return [join(COMPILED, file.replace(/\.ts$/, '.js'))]
}

/** vitest calls it before the first test file. */
export default function setup(): void {
  for (const folder of FOLDERS)
    for (const entry of readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) place(join(entry.parentPath, entry.name))
  place(join(PROJECT, 'package.json'))
  process.env[IS_MADE] = 'yes'
}

function place(file: string): void {
  const target = join(COMPILED, file.slice(PROJECT.length))
  mkdirSync(dirname(target), { recursive: true })
  if (!file.endsWith('.ts')) cpSync(file, target)
  else {
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions: OPTIONS })
    writeFileSync(target.replace(/\.ts$/, '.js'), outputText)
  }
}
