// The README is held to what it says.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startDesk } from './support/desk.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** Variables in the first column of the table under a heading that starts so, less those of OpenTelemetry's standard. */
function documented(heading: string): string[] {
  const section = README.split(/^###? /m).find((part) => part.startsWith(heading)) ?? ''
  const cells = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) => cell ?? '')
  return cells
    .flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name ?? ''))
    .filter((name) => !name.startsWith('OTEL_'))
    .sort()
}

/** Variables that a configuration reads. */
function read(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const schema = /const Environment = z\s*\.object\(\{([\s\S]*?)\n(?: {2})?\}\)/.exec(source)?.[1] ?? ''
  return [...schema.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name ?? '').sort()
}

describe('the README', () => {
  it('lists exactly the variables of the gateway, and those of stdio', () => {
    const ofStdio = ['ACCESS_TOKEN', 'REFRESH_TOKEN', 'REFRESH_CLIENT_ID']
    expect(documented('Gateway')).toEqual([...read('src/config.ts'), ...ofStdio].sort())
  })

  it('lists exactly the variables of the ticket service', () => {
    expect(documented('Ticket service')).toEqual(
      read('backend-api/config.ts').filter((name) => name !== 'NODE_ENV'),
    )
  })

  it('has a first call that prints tickets when pasted', async () => {
    const block = /## A first tool call[\s\S]*?```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? ''
    const desk = await startDesk({ tickets: 60 })
    try {
      const pasted = block
        .replace('http://127.0.0.1:8080/mcp', desk.url)
        .replace('$(npm run -s token -- alice)', await desk.token('alice'))
      expect(pasted).not.toBe(block)
      const { stdout } = await promisify(execFile)('bash', ['-c', pasted])
      expect(JSON.parse(stdout)).toMatchObject({
        result: {
          structuredContent: {
            tickets: expect.arrayContaining([expect.objectContaining({ status: 'open' })]) as unknown,
          },
        },
      })
    } finally {
      await desk.close()
    }
  })
})

describe.each(['README.md', 'CONTRIBUTING.md'])('%s names', (page) => {
  const told = readFileSync(join(ROOT, page), 'utf8')
  const named = (pattern: RegExp) => [...told.matchAll(pattern)].map(([, name]) => name ?? '')

  it('commands that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
    const commands = named(/npm (?:run (?:-s )?)?(?!ci\b|run\b)([a-z][\w:]*)/g)
    expect(commands).toContain('test')
    expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('files that there are', () => {
    // Behind a slash it is a place in a container.
    const files = named(/(?<!\/)\b((?:src|test|backend-api|openapi|grafana)\/[\w./-]*\w)/g)
    expect(files).not.toEqual([])
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('metrics that there are', () => {
    const metrics = readFileSync(join(ROOT, 'grafana/METRICS.md'), 'utf8')
    expect(
      named(/`(desk_(?:gateway|service)_\w+)`/g).filter((name) => !metrics.includes(`\`${name}\``)),
    ).toEqual([])
  })
})
