// Each image holds what its program needs, and as little else as can be. Nothing is built here: see check:images.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyOf, lineageOf, pairsOf, parseDockerfile, type Copy } from '../../scripts/images/dockerfile.ts'
import { needsOf } from './imports.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const manifest = JSON.parse(read('package.json')) as { version: string; dependencies: Record<string, string> }
const stages = parseDockerfile(read('Dockerfile'))
const stepsOf = (target: string, instruction: string) =>
  lineageOf(stages, target).flatMap(({ steps }) => steps.filter((step) => step.instruction === instruction))

const TARGETS = [
  { target: 'gateway', entry: 'src/main.ts', dependencies: 'gateway-dependencies', without: 'backend-api/' },
  {
    target: 'backend-api',
    entry: 'backend-api/main.ts',
    dependencies: 'backend-api-dependencies',
    without: 'src/',
  },
  {
    target: 'setup',
    entry: 'scripts/prepare-volumes.ts',
    dependencies: 'backend-api-dependencies',
    without: 'src/',
  },
]
const needs = Object.fromEntries(TARGETS.map(({ target, entry }) => [target, needsOf(ROOT, entry)]))
const packagesOf = (target: string) => needs[target]?.packages ?? []

/** Where a file of the project lies in the image, below its working folder. */
function placesOf(copies: readonly Copy[], file: string): string[] {
  return copies.flatMap(({ sources, target }) =>
    sources.flatMap((source) => {
      const isFolder = statSync(join(ROOT, source)).isDirectory()
      if (isFolder) return file.startsWith(`${source}/`) ? [join(target, file.slice(source.length + 1))] : []
      return file === source ? [target.endsWith('/') ? join(target, basename(file)) : target] : []
    }),
  )
}

describe.each(TARGETS)('The image $target', ({ target, entry, dependencies, without }) => {
  const copies = stepsOf(target, 'COPY').map(copyOf)
  const ofContext = copies.filter(({ from }) => from === undefined)

  it('starts its program', () => {
    const commands = stepsOf(target, 'CMD').map(({ text }) => JSON.parse(text) as string[])
    expect(commands.at(-1)?.slice(0, 2)).toEqual(['node', entry])
  })

  it('holds every module that the program imports and every file that it reads', () => {
    const files = needs[target]?.files ?? []
    expect(files.length).toBeGreaterThan(5)
    const missing = files.filter((file) => !placesOf(ofContext, file).some((place) => join(place) === file))
    expect(missing).toEqual([])
  })

  it('holds nothing of the other side, and no tests', () => {
    const sources = ofContext.flatMap(({ sources }) => sources.map((source) => `${source}/`))
    expect(sources.filter((source) => source.startsWith(without) || source.startsWith('test/'))).toEqual([])
  })

  it('imports no development dependency', () => {
    expect(packagesOf(target).filter((name) => manifest.dependencies[name] === undefined)).toEqual([])
  })

  it('holds the packages of its own side', () => {
    expect(copies.find(({ from }) => from !== undefined)).toMatchObject({
      from: dependencies,
      sources: ['/app/node_modules'],
      target: 'node_modules',
    })
  })

  it('runs as a user that is not root and owns nothing of the program', () => {
    expect(stepsOf(target, 'USER').at(-1)?.text).toBe('1000:1000')
    expect(stepsOf(target, 'COPY').some(({ text }) => text.includes('--chown'))).toBe(false)
  })

  it('says the version of the package', () => {
    const labels = Object.assign({}, ...stepsOf(target, 'LABEL').map(pairsOf)) as Record<string, string>
    expect(labels['org.opencontainers.image.version']).toBe(manifest.version)
    expect(labels['org.opencontainers.image.title']).toBeTruthy()
  })
})

it.each([
  ['gateway-dependencies', 'gateway', 'backend-api'],
  ['backend-api-dependencies', 'backend-api', 'gateway'],
])('%s leaves out exactly what only the other side imports', (stage, own, other) => {
  const uninstall = stages
    .find(({ name }) => name === stage)
    ?.steps.find(({ text }) => text.startsWith('npm uninstall'))?.text
  const left = uninstall
    ?.split(' ')
    .slice(2)
    .filter((word) => !word.startsWith('--'))
  expect(left?.sort()).toEqual(packagesOf(other).filter((name) => !packagesOf(own).includes(name)))
})

it('Node is of a line on which better-sqlite3 12 does not abort', () => {
  const [, major, minor] = /ARG NODE_VERSION=(\d+)\.(\d+)\.\d+\n/.exec(read('Dockerfile')) ?? []
  expect(manifest.dependencies['better-sqlite3']).toMatch(/^12\./)
  // Types are stripped without a flag since 22.18.
  expect(Number(major)).toBe(22)
  expect(Number(minor)).toBeGreaterThanOrEqual(18)
})

it('the build context holds what is copied, and hides the rest', () => {
  const [all, ...kept] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(all).toBe('*')
  const copied = stages
    .flatMap(({ steps }) => steps.filter(({ instruction }) => instruction === 'COPY').map(copyOf))
    .filter(({ from }) => from === undefined)
    .flatMap(({ sources }) => sources)
  expect(copied.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
  const hidden = copied.filter((source) => !kept.some((line) => `${source}/`.startsWith(`${line.slice(1)}/`)))
  expect(hidden).toEqual([])
})
