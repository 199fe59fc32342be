// What must hold of every tool, by looping over all of them.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { createCatalogue } from '../../src/tools/catalogue.ts'
import type { JsonSchema } from '../../src/tools/contract.ts'
import type { Tool } from '../../src/tools/define-tool.ts'
import { registry } from '../../src/tools/registry.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { passOn } from '../../src/telemetry/tracing.ts'
import { catalogue, CONTRACT, entryOf, NAMESPACE } from '../support/catalogue.ts'

const README = new URL('../../README.md', import.meta.url)

describe.each(registry.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const { wire, operation } = entryOf(name)

  it('has a name that fits in every client, with the namespace and a prefix of the client (C37)', () => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{2,40}$/)
    expect(wire.name).toBe(`${NAMESPACE}__${name}`)
    expect(wire.name.length).toBeLessThanOrEqual(48)
    expect(`mcp__acme-desk__${wire.name}`).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })

  it('is described by what it does, when to use it and what it returns', () => {
    const { what, when, returns } = tool.description
    expect(what).toMatch(/^[A-Z].*\.$/)
    expect(when).toMatch(/^Use this .*\.$/)
    expect(returns).toMatch(/^Returns .*\.$/)
    expect(wire.description).toBe(`${what} ${when} ${returns}`)
  })

  it('names a neighbouring tool that exists', () => {
    const named = tool.description.when.match(/\b(tickets?|desk)_[a-z]+\b/g) ?? []
    expect(named).not.toEqual([])
    expect(named).not.toContain(name)
    for (const neighbour of named) expect(registry.map((other) => other.name)).toContain(neighbour)
  })

  it('describes every argument', () => {
    for (const [argument, schema] of Object.entries(wire.inputSchema.properties ?? {}))
      expect(schema.description, argument).toMatch(/^[A-Z].{8,}\.$/)
  })

  it('has closed objects everywhere, in and out', () => {
    expect(objectsIn(wire.inputSchema)).not.toEqual([])
    expect(objectsIn(wire.outputSchema)).not.toEqual([])
    for (const object of [...objectsIn(wire.inputSchema), ...objectsIn(wire.outputSchema)])
      expect(object['additionalProperties'], JSON.stringify(object)).toBe(false)
  })

  it('has schemas of type object without a choice at the top (C24)', () => {
    for (const schema of [wire.inputSchema, wire.outputSchema]) {
      expect(schema.type).toBe('object')
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(oneOf|anyOf|allOf)$/)]),
      )
    }
  })

  it('says each of the four hints', () => {
    expect(Object.keys(wire.annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ])
  })

  it('is marked read-only exactly when its operation is a GET', () => {
    expect(wire.annotations.readOnlyHint).toBe(operation.method === 'get')
    expect(operation.takesIdempotencyKey).toBe(operation.method === 'post')
  })

  it('needs the scope that the contract asks for', () => {
    expect(operation.scopes).toEqual([tool.scope])
  })
})

describe('The catalogue', () => {
  const [some] = registry as readonly [Tool]
  const build = (tools: readonly Tool[], namespace = NAMESPACE) =>
    createCatalogue({ namespace, contract: CONTRACT, tools })

  it('is not built with an operation that the contract does not have', () => {
    const broken = { ...some, operation: 'burnTicket' } as unknown as Tool
    expect(() => build([broken])).toThrow('no operation burnTicket')
  })

  it('is not built with two tools of one name', () => {
    expect(() => build([some, some])).toThrow('Two tools have the name tickets_search')
  })

  it.each(['Ticket_get', 'ab', '1_ticket', 'ticket-get', 'ticket.get', `t${'x'.repeat(41)}`])(
    'is not built with the tool name %s',
    (name) => {
      expect(() => build([{ ...some, name }])).toThrow(`"${name}"`)
    },
  )

  it.each(['', 'Acme', 'acme-desk', 'acme desk', '1acme', 'a'.repeat(60)])(
    'is not built in the namespace "%s"',
    (namespace) => {
      expect(() => build(registry, namespace)).toThrow('namespace')
    },
  )

  it('finds nothing under the names that every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) expect(catalogue.get(name)).toBeUndefined()
  })

  it('has a size that the README states (C36)', ({ skip }) => {
    if (!existsSync(README)) skip('there is no README yet')
    const bytes = Buffer.byteLength(JSON.stringify(catalogue.list))
    const stated = /tools\/list.*?([\d,]+) bytes/.exec(readFileSync(README, 'utf8'))?.[1]
    expect(stated, `the README must say: tools/list is ${bytes.toLocaleString('en')} bytes`).toBeDefined()
    expect(Number(stated?.replaceAll(',', '')), 'bytes of tools/list, as stated in the README').toBe(bytes)
  })
})

describe('The start-up', () => {
  it('fails and names NAMESPACE when a name would be too long for a client (C37)', () => {
    const config = readConfig({
      ISSUER: 'http://127.0.0.1:9/identity',
      CLIENT_SECRET: 'x'.repeat(32),
      NAMESPACE: 'a_namespace_that_is_far_too_long_for_it',
    })
    expect(() =>
      compose(config, { log: createLog('silent'), tracing: passOn }, () => {
        throw new Error('Nobody calls.')
      }),
    ).toThrow(/NAMESPACE: .*shorten the namespace/)
  })
})

/** Every schema that describes an object, however deep. */
function objectsIn(node: unknown): JsonSchema[] {
  if (node === null || typeof node !== 'object') return []
  const own = 'properties' in node || ('type' in node && node.type === 'object') ? [node as JsonSchema] : []
  return [...own, ...Object.values(node).flatMap(objectsIn)]
}
