// What runbooks and panels send a person to at three in the morning is there: log lines, their fields, commands, names.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { gateway } from '../../grafana/dashboards/gateway.ts'
import { ticketService } from '../../grafana/dashboards/ticket-service.ts'
import { committedRules } from '../support/committed-rules.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

const sources = ['src', 'backend-api'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join(folder, name))),
)
const code = sources.join('\n')

/** What a call of the logger is given as fields, and the allow-lists that are handed to it. */
const lines = all(code, /\b(?:log\.(?:debug|info|warn|error|fatal)\(|const line = )\s*\{([^;]*?)\}(?:,|\n)/g)
/** Fields that every line has, and those of a refusal, which are spread into its line. */
const OF_THE_LOGGER = ['level', 'time', 'msg', 'audit']
const fields = new Set([
  ...OF_THE_LOGGER,
  ...all(lines.join('\n'), /(?:^|[{,])\s*(\w+)\s*(?=[:,]|$)/gm),
  ...all(read('src/gateway/report-refusals.ts'), /readonly (\w+):/g),
])
const messages = all(code, /'([^'\n]+)'/g)

const texts = [
  ...(await committedRules()).flatMap(({ annotations }) => Object.values(annotations ?? {})),
  ...[...gateway.panels, ...ticketService.panels].map((panel) =>
    'description' in panel ? (panel.description ?? '') : '',
  ),
]
const told = texts.join('\n')

describe('Runbooks and panels', () => {
  it('look for fields that log lines have', () => {
    const named = [...all(told, /`(\w+)`/g), ...all(told, /"(\w+)":/g)]
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !fields.has(name))).toEqual([])
  })

  it('look for messages that are logged', () => {
    const words = all(told, /grep '([^'"]+)'/g)
    expect(words.length).toBeGreaterThan(5)
    expect(words.filter((some) => !messages.some((message) => message.includes(some)))).toEqual([])
  })

  it.each([
    { field: 'class', in: 'src/tools/failure.ts', as: 'rate_limited' },
    { field: 'code', in: 'src/tools/run-tool.ts', as: 'over_limit' },
  ])('look for values of $field that $in has', ({ field, in: file, as }) => {
    const pattern = new RegExp(`"${field}":"\\(?([\\w|]+)`, 'g')
    const values = all(told, pattern).flatMap((some) => some.split('|'))
    expect(values).toContain(as)
    const known = all(read(file), /'(\w+)'/g)
    expect(values.filter((value) => !known.includes(value))).toEqual([])
  })

  it('name commands, services of the compose file and variables that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    expect(all(told, /npm run (\w+)/g).filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
    const { services } = parse(read('docker-compose.yml')) as { services: object }
    const asked = all(told, /docker compose (?:logs|exec|restart|kill|ps) ([^;|\n:]*)/g)
      .map((words) => words.replace(/(?:--since|--tail|-s) \w+|-a\b/g, ''))
      .flatMap((words) => all(words, /^\s*([a-z-]+(?: (?:gateway|backend-api|redis))?)/g))
      .flatMap((names) => names.split(' '))
    expect(asked).toContain('backend-api')
    expect(asked.filter((name) => !Object.hasOwn(services, name))).toEqual([])
    const variables = all(told, /\b([A-Z]+(?:_[A-Z]+)+)\b/g).filter((name) => name !== 'REQUEST_ID')
    const known = read('src/config.ts') + read('backend-api/config.ts') + read('src/secret-files.ts')
    expect(variables.length).toBeGreaterThan(5)
    expect(variables.filter((name) => !known.includes(name.replace(/_FILE$/, '')))).toEqual([])
  })
})
