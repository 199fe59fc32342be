// Secrets that are given as files: `NAME_FILE` names a file that holds what `NAME` would.
import { readFileSync } from 'node:fs'

export type Variables = Readonly<Record<string, string | undefined>>

/** The variables that are set (empty means unset), with the secrets read from their files, and what was wrong with those. */
export function withSecretFiles(env: Variables, secrets: readonly string[]) {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const faults: string[] = []
  for (const name of secrets) {
    const file = variables[`${name}_FILE`]
    if (variables[name] !== undefined || file === undefined) continue
    try {
      variables[name] = readFileSync(file, 'utf8').trim()
    } catch {
      faults.push(`  ${name}_FILE: cannot read ${file}; name a readable file`)
    }
  }
  return { variables, faults }
}
