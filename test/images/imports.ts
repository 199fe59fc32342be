// What a program needs at run time: its modules, the packages they import, and the files they read next to themselves.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

export interface Needs {
  /** Relative to the project; folders that are read end with a slash. */
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

/** Imports of types alone are erased before anything runs. */
const IMPORT = /^(?:import|export)\b(?! type\b)(?:[^'"]*?from )?\s*'([^']+)'|\bimport\('([^']+)'\)/gm
const FILE = /new URL\('([^']+)', import\.meta\.url\)/g

/** Follows imports, static and dynamic, from `entry`. */
export function needsOf(root: string, entry: string): Needs {
  const files = new Set<string>()
  const packages = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, fixed, dynamic] of source.matchAll(IMPORT)) {
      const target = fixed ?? dynamic ?? ''
      if (target.startsWith('.')) open.push(join(dirname(file), target))
      else if (!target.startsWith('node:')) packages.add(packageOf(target))
    }
    for (const [, path = ''] of source.matchAll(FILE)) files.add(join(dirname(file), path))
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
