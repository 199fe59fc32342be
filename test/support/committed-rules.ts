// The rules of Prometheus as they are committed.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'

export const PROMETHEUS_FOLDER = join(import.meta.dirname, '../../grafana/prometheus')

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

interface RuleFile {
  groups: { name: string; interval?: string; rules: (Rule & { for?: string })[] }[]
}

/** Every rule as committed. */
export async function committedRules(): Promise<Rule[]> {
  const files = await readRuleFiles()
  return files.flatMap(({ content }) => content.groups.flatMap(({ rules }) => rules))
}

export async function readRuleFiles(): Promise<{ name: string; content: RuleFile }[]> {
  const folder = join(PROMETHEUS_FOLDER, 'rules')
  return Promise.all(
    (await readdir(folder)).map(async (name) => ({
      name,
      content: parse(await readFile(join(folder, name), 'utf8')) as RuleFile,
    })),
  )
}
