// What differs at one place of a schema, in words, and what that does to the set of values allowed there.
import { canonicalJson } from './canonical-json.ts'
import type { Place } from './catalogue-shape.ts'

/** `other`: some values came and some went, or nobody can tell. `neither`: the same values as before. */
export type Effect = 'wider' | 'narrower' | 'other' | 'neither'
export type Difference = readonly [what: string, effect: Effect]

const LOWER_BOUNDS = ['minLength', 'minimum', 'minItems', 'minProperties', 'exclusiveMinimum']
const UPPER_BOUNDS = ['maxLength', 'maximum', 'maxItems', 'maxProperties', 'exclusiveMaximum']

export function differences(was: Place, is: Place): Difference[] {
  const { enum: before, limits: limitsBefore = {} } = was
  const { enum: after, limits: limitsAfter = {} } = is
  return [
    ...typeDifference(was.type, is.type),
    ...requiredDifference(was.required ?? false, is.required ?? false),
    ...valueDifferences(before, after),
    ...Object.keys({ ...limitsBefore, ...limitsAfter }).flatMap((keyword) =>
      limitDifference(keyword, limitsBefore[keyword], limitsAfter[keyword]),
    ),
    ...told(same(was.default, is.default), 'has another default', 'neither'),
    ...told(was.words === is.words, 'is described in other words', 'neither'),
  ]
}

function typeDifference(was: string, is: string): Difference[] {
  return told(was === is, `is ${is}, no longer ${was}`, effectOf(typesIn(was), typesIn(is)))
}

/** Every integer is a number, and every value is any. */
function typesIn(type: string): readonly string[] {
  const types = type.split('|')
  if (types.includes('any')) return ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
  return types.includes('number') ? [...types, 'integer'] : types
}

function requiredDifference(was: boolean, is: boolean): Difference[] {
  return told(was === is, is ? 'is now required' : 'is now optional', is ? 'narrower' : 'wider')
}

function valueDifferences(was: Place['enum'], is: Place['enum']): Difference[] {
  if (was && !is) return [['is no longer one of a closed set', 'wider']]
  if (!was && is) return [[`is now one of ${list(is)}`, 'narrower']]
  const [gone, added] = [without(was, is), without(is, was)]
  return [
    ...told(gone.length === 0, `no longer has the value ${list(gone)}`, 'narrower'),
    ...told(added.length === 0, `also has the value ${list(added)}`, 'wider'),
  ]
}

function limitDifference(keyword: string, was: unknown, is: unknown): Difference[] {
  const words = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value))
  return told(
    same(was, is),
    `has ${keyword} ${words(is)}, no longer ${words(was)}`,
    limitEffect(keyword, was, is),
  )
}

function limitEffect(keyword: string, was: unknown, is: unknown): Effect {
  if (was === undefined) return 'narrower'
  if (is === undefined) return 'wider'
  if (LOWER_BOUNDS.includes(keyword)) return Number(is) > Number(was) ? 'narrower' : 'wider'
  if (UPPER_BOUNDS.includes(keyword)) return Number(is) < Number(was) ? 'narrower' : 'wider'
  if (is === false && keyword === 'additionalProperties') return 'narrower'
  return 'other'
}

function effectOf(was: readonly unknown[], is: readonly unknown[]): Effect {
  const [gone, added] = [without(was, is).length > 0, without(is, was).length > 0]
  if (gone) return added ? 'other' : 'narrower'
  return added ? 'wider' : 'neither'
}

function without(from: readonly unknown[] = [], taken: readonly unknown[] = []): unknown[] {
  return from.filter((value) => !taken.some((other) => same(value, other)))
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson([a]) === canonicalJson([b])
}

function told(isSame: boolean, what: string, effect: Effect): Difference[] {
  return isSame ? [] : [[what, effect]]
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ')
}
