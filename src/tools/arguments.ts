// What a model sends, turned into what an operation takes: lenient where the meaning is plain, strict where it protects.
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from './contract.ts'
import { closest } from './closest.ts'
import { removeInvisible } from './invisible.ts'

export interface ArgumentFault {
  /** Name of the argument at fault. */
  readonly field: string
  /** What was wrong and what is expected, in words. */
  readonly problem: string
}

export type ReadArguments =
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly faults: readonly ArgumentFault[] }

const MAX_FAULTS = 4
const MAX_SHOWN_CHARACTERS = 60

/** Missing or null arguments are `{}`; exact conversions are made; anything else that does not fit is a fault. */
export function readArguments(schema: JsonSchema, validate: ValidateFunction, given: unknown): ReadArguments {
  if (given !== undefined && given !== null && (typeof given !== 'object' || Array.isArray(given)))
    return {
      ok: false,
      faults: [{ field: 'arguments', problem: `arguments must be an object, got ${show(given)}` }],
    }
  const input = convert(schema, (given ?? {}) as Record<string, unknown>)
  if (validate(input)) {
    const faults = brokenTexts(input)
    return faults.length === 0 ? { ok: true, input } : { ok: false, faults }
  }
  const faults = new Map<string, ArgumentFault>()
  for (const error of validate.errors ?? []) {
    const fault = describe(schema, error, input)
    if (!faults.has(fault.field)) faults.set(fault.field, fault)
    if (faults.size === MAX_FAULTS) break
  }
  return { ok: false, faults: [...faults.values()] }
}

/** Half a surrogate pair is no character: it can neither be put into a URL nor be stored. */
function brokenTexts(input: Record<string, unknown>): ArgumentFault[] {
  return Object.entries(input)
    .filter(([, value]) => [value].flat().some((text) => typeof text === 'string' && /\p{Cs}/u.test(text)))
    .slice(0, MAX_FAULTS)
    .map(([field]) => ({
      field,
      problem: `${field} must be Unicode text, and has half a surrogate pair in it`,
    }))
}

/**
 * A copy with null taken out of optional arguments, digits made a number where a number is meant, and the reverse.
 * Only exact conversions are made, so nothing that was meant differently gets through.
 */
function convert(schema: JsonSchema, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const property = propertyOf(schema, name)
    if (value === null && property && !schema.required?.includes(name)) return []
    if (property?.type === 'integer' && typeof value === 'string' && /^-?(0|[1-9]\d{0,14})$/.test(value))
      return [[name, Number(value)]]
    if (property?.type === 'string' && Number.isSafeInteger(value)) return [[name, String(value)]]
    return [[name, value]]
  })
  return Object.fromEntries(entries)
}

function describe(schema: JsonSchema, error: ErrorObject, input: Record<string, unknown>): ArgumentFault {
  const params = error.params as Record<string, unknown>
  if (error.keyword === 'additionalProperties')
    return unknownArgument(schema, String(params['additionalProperty']))
  if (error.keyword === 'required') {
    const field = String(params['missingProperty'])
    return {
      field,
      problem: `${field} is required: ${propertyOf(schema, field)?.description ?? 'see the schema'}`,
    }
  }
  const [field = 'arguments', ...inside] = error.instancePath.split('/').slice(1)
  const place = inside.length > 0 ? `${field}[${inside.join('][')}]` : field
  const top = propertyOf(schema, field)
  const property = inside.length > 0 ? top?.items : top
  const value = inside.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], input[field])
  return { field, problem: `${place} ${expectation(error, property)}, got ${show(value)}` }
}

function unknownArgument(schema: JsonSchema, name: string): ArgumentFault {
  const known = Object.keys(schema.properties ?? {})
  const [near] = closest(name, known, 1)
  const hint = near === undefined ? `the arguments are: ${known.join(', ')}` : `did you mean ${near}?`
  return { field: shorten(name), problem: `${shorten(name)} is not an argument of this tool; ${hint}` }
}

function expectation(error: ErrorObject, property: JsonSchema | undefined): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'type':
      return `must be ${withArticle(String(params['type']))}${property?.items ? ', e.g. ["one", "two"]' : ''}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'pattern': {
      const example = property?.examples?.[0]
      return typeof example === 'string'
        ? `must look like "${example}"`
        : `must match ${String(params['pattern'])}`
    }
    case 'minLength':
    case 'maxLength':
      return `must have ${bound(error, 'character')}`
    case 'minItems':
    case 'maxItems':
      return `must have ${bound(error, 'item')}`
    case 'minimum':
    case 'maximum':
      return `must be ${bound(error)}`
    case 'uniqueItems':
      return 'must not have the same item twice'
    default:
      return error.message ?? `does not satisfy ${error.keyword}`
  }
}

function bound({ keyword, params }: ErrorObject, unit?: string): string {
  const { limit } = params as { limit: number }
  const counted = unit === undefined ? '' : ` ${unit}${limit === 1 ? '' : 's'}`
  return `${keyword.startsWith('min') ? 'at least' : 'at most'} ${limit}${counted}`
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = schema.properties ?? {}
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** What was sent, in a few characters. Lists and objects are only named: they may be nested as deep as a body is long. */
function show(value: unknown): string {
  if (typeof value === 'string') return `"${shorten(value)}"`
  if (Array.isArray(value)) return 'a list'
  return value !== null && typeof value === 'object' ? 'an object' : String(value)
}

/** On one line, without what cannot be seen, and cut between characters. */
function shorten(text: string): string {
  const start = text.slice(0, MAX_SHOWN_CHARACTERS * 4)
  const visible = Array.from(
    removeInvisible(start)
      .text.replace(/\s+/g, ' ')
      .replace(/\p{Cs}/gu, '\uFFFD'),
  )
  const shown = visible.slice(0, MAX_SHOWN_CHARACTERS).join('')
  return visible.length > MAX_SHOWN_CHARACTERS || text.length > start.length ? `${shown}...` : shown
}
