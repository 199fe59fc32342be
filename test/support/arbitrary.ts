// Values for a JSON Schema, as the contract uses them: enough keywords to make arguments that fit, and some that nearly do.
import fc, { type Arbitrary } from 'fast-check'
import type { JsonSchema } from '../../src/tools/contract.ts'

/** What models and attackers send where something else was meant. */
export const HOSTILE: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u0000',
    '\uD800',
    '\u202Eabc',
    'null',
    '../../admin',
    '%2e%2e',
    "' or 1=1 --",
    '$' + '{7*7}',
    '\r\nX-Injected: 1',
    1e308,
    -0,
    Number.MAX_SAFE_INTEGER + 2,
    0.1,
    null,
    true,
    [],
    {},
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 4 }),
)

/** Names that objects have without being given them. */
const PROTOTYPE_NAMES = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty')

/** Arguments that fit the schema, or with one thing wrong, or nothing of it. */
export function argumentsFor(schema: JsonSchema): Arbitrary<unknown> {
  const fitting = valueFor(schema) as Arbitrary<Record<string, unknown>>
  const names = Object.keys(schema.properties ?? {})
  const name = fc.oneof(fc.constantFrom(...names), PROTOTYPE_NAMES, fc.string({ maxLength: 20 }))
  const mutated = fc.tuple(fitting, name, HOSTILE).map(([args, at, value]) => {
    const copy: Record<string, unknown> = { ...args }
    Object.defineProperty(copy, at, { value, enumerable: true, configurable: true, writable: true })
    return copy
  })
  return fc.oneof({ arbitrary: fitting, weight: 2 }, { arbitrary: mutated, weight: 4 }, HOSTILE)
}

function valueFor(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const {
    minLength = 0,
    maxLength = 200,
    minItems = 0,
    maxItems = 10,
    minimum = 0,
    maximum = 100,
  } = schema as Record<string, number | undefined>
  switch (String(schema.type)) {
    case 'object':
      return objectFor(schema)
    case 'array':
      return fc.uniqueArray(valueFor(schema.items ?? { type: 'string' }), {
        minLength: minItems,
        maxLength: maxItems,
      })
    case 'integer':
      return fc.integer({ min: minimum, max: maximum })
    case 'boolean':
      return fc.boolean()
    default:
      if (typeof schema['pattern'] === 'string') return fc.stringMatching(new RegExp(schema['pattern'], 'u'))
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 200) })
  }
}

function objectFor(schema: JsonSchema): Arbitrary<unknown> {
  const entries = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    valueFor(property),
  ])
  return fc.record(Object.fromEntries(entries) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: [...(schema.required ?? [])],
  })
}
