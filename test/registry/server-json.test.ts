// What the MCP registry would be told, against the rules of its schema of 2025-12-11 that bind a remote server.
// The registry's own schema lets unknown members pass; here they are refused, so that a misspelt one is noticed.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { registryEntry, type RegistryEntry } from '../../scripts/registry-entry.ts'
import { lockCatalogue } from '../../src/tools/catalogue-lock.ts'
import { registry } from '../../src/tools/registry.ts'
import { catalogue } from '../support/catalogue.ts'

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided'
/** More is not kept when an entry is published. */
const PUBLISHER_MAX_BYTES = 4096

const input = {
  type: 'object',
  additionalProperties: false,
  properties: {
    description: { type: 'string' },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
    placeholder: { type: 'string' },
  },
}
const remote = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'url'],
  properties: {
    type: { enum: ['streamable-http', 'sse'] },
    url: { type: 'string', pattern: '^https?://[^\\s]+$' },
    variables: { type: 'object', additionalProperties: input },
  },
}
const RULES = {
  type: 'object',
  additionalProperties: false,
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' },
    remotes: { type: 'array', minItems: 1, items: remote },
    _meta: { type: 'object', additionalProperties: false, properties: { [PUBLISHER]: { type: 'object' } } },
  },
}

const validate = new Ajv2020({ strict: true, allErrors: true }).compile(RULES)
const ROOT = new URL('../../', import.meta.url)
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, ROOT), 'utf8'))
const { version } = read('package.json') as { version: string }
const entry = read('server.json') as RegistryEntry

describe('server.json', () => {
  it('is what the registry accepts', () => {
    validate(entry)
    expect(validate.errors).toBeNull()
  })

  it.each([
    ['a description of 101 characters', { description: 'x'.repeat(101) }],
    ['a name without a namespace', { name: 'desk-gateway' }],
    ['a range as its version', { version: '^0.1.0' }],
    ['a remote of an unknown kind', { remotes: [{ type: 'websocket', url: 'https://a/mcp' }] }],
    ['a member that the registry does not know', { homepage: 'https://a' }],
  ])('would be noticed with %s', (_fault, change) => {
    expect(validate({ ...entry, ...change })).toBe(false)
  })

  it('is generated from the package and the catalogue, and is current: npm run generate', () => {
    expect(entry).toEqual(registryEntry(lockCatalogue(catalogue, version)))
  })

  it('declares each variable of its URL', () => {
    for (const { url, variables = {} } of entry.remotes) {
      const named = [...String(url).matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      expect(named).toEqual(Object.keys(variables as object))
    }
  })

  it('says which tools there are and their digest, within what a registry keeps', () => {
    const published = entry._meta[PUBLISHER]
    expect(published).toEqual({
      catalogue: { digest: catalogue.digest, tools: registry.map(({ name }) => name) },
    })
    expect(Buffer.byteLength(JSON.stringify(published))).toBeLessThan(PUBLISHER_MAX_BYTES)
  })
})
