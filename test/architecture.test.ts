// Imports go one way. When this fails, the message says which rule and why; move the code, do not widen the rule.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

interface Rule {
  readonly files: RegExp
  /** Imports (files relative to the project, or package names) that these files may have. */
  readonly mayImport: RegExp
  readonly why: string
}

const RULES: readonly Rule[] = [
  {
    files: /^src\/backend\//,
    mayImport: /^(src\/backend\/|openapi\/|(?!@modelcontextprotocol|express)[^/.]*$|node:)/,
    why: 'the door to the service knows neither tools nor MCP nor the HTTP server in front',
  },
  {
    files: /^src\/tools\//,
    mayImport: /^(src\/(tools|backend)\/|openapi\/|(?!express|undici)[a-z-]+(\/.*)?$|node:)/,
    why: 'the adapter is tested without a transport, so it knows neither the SDK nor req and res',
  },
  {
    files: /^src\/(resources|prompts)\//,
    mayImport: /^src\/(resources|prompts|backend)\//,
    why: 'what a person picks is plain data over the backend',
  },
  {
    files: /^src\/gateway\//,
    mayImport:
      /^(src\/(gateway|tools|resources|prompts|backend)\/|@modelcontextprotocol\/|(?!undici|pino|prom-client)[a-z-]+$|node:)/,
    why: 'transport and identity hand telemetry in as ports and leave HTTP to the service to the backend layer',
  },
  {
    files: /^src\/telemetry\//,
    mayImport: /^(src\/(telemetry|tools|backend)\/|pino$|prom-client$|@opentelemetry\/|node:)/,
    why: 'telemetry observes; nothing it does may change a call',
  },
  {
    files: /^src\//,
    mayImport: /^(?!backend-api\/|scripts\/|test\/)/,
    why: 'gateway and service share the contract and nothing else',
  },
  {
    files: /^backend-api\/rules\//,
    mayImport: /^(backend-api\/rules\/|openapi\/)/,
    why: 'rules are pure functions: no store, no HTTP, no clock',
  },
  {
    files: /^backend-api\/store\//,
    mayImport: /^(backend-api\/(store|rules|paging)\/|openapi\/|kysely|better-sqlite3|lru-cache|node:)/,
    why: 'the store knows no HTTP',
  },
  {
    files: /^backend-api\//,
    mayImport: /^(?!src\/|scripts\/|test\/|@modelcontextprotocol)/,
    why: 'the service would serve its web UI just the same without a gateway',
  },
]

const files = ['src', 'backend-api'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
)

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return [...source.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|import\('([^']+)'\)/gm)].map(
    ([, from, dynamic]) => {
      const target = from ?? dynamic ?? ''
      return target.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), target)) : target
    },
  )
}

describe('architecture', () => {
  it.each(RULES)('$files imports only what it may: $why', ({ files: pattern, mayImport }) => {
    const of = files.filter((file) => pattern.test(file))
    expect(of).not.toHaveLength(0)
    const wrong = of.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport.test(target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('the service never says MCP', () => {
    const saying = files.filter(
      (file) => file.startsWith('backend-api/') && /\bmcp\b/i.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(saying).toEqual([])
  })

  it('only entry points and config.ts touch the process', () => {
    const touching = files.filter(
      (file) =>
        !/(^src\/stdio|\/main|\/config)\.ts$/.test(file) &&
        /\bprocess\./.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(touching).toEqual([])
  })

  it('the transport does not know what a ticket is', () => {
    const knowing = files.filter(
      (file) =>
        file.startsWith('src/gateway/') &&
        /\bT-\d|ticket_id|ticket_(get|close|create)/.test(readFileSync(join(ROOT, file), 'utf8')),
    )
    expect(knowing).toEqual([])
  })
})
