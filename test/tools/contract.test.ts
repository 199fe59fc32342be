// The contract as tools read it, on documents small enough to see through.
import { describe, expect, it } from 'vitest'
import { readOperation, relax, type JsonSchema } from '../../src/tools/contract.ts'

const THING: JsonSchema = {
  type: 'object',
  description: 'A thing.',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^x$' }, size: { type: 'integer', minimum: 1 } },
}

function documentWith(operation: Record<string, unknown>, beside: Record<string, unknown> = {}) {
  return {
    security: [{ desk: ['read'] }],
    paths: {
      '/things': {
        parameters: [{ $ref: '#/components/parameters/Place' }],
        post: {
          operationId: 'makeThing',
          responses: { '201': { content: { 'application/json': { schema: ref('Thing') } } } },
          ...operation,
        },
      },
    },
    components: {
      parameters: {
        Place: {
          name: 'place',
          in: 'path',
          required: true,
          description: 'Where.',
          schema: { type: 'string' },
        },
      },
      schemas: { Thing: THING, Loose: { type: 'string', description: 'The words of the schema.' } },
    },
    ...beside,
  }
}

function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

describe('An operation', () => {
  it('has path, query and body side by side, required as the contract says', () => {
    const document = documentWith({
      parameters: [{ name: 'q', in: 'query', description: 'What.', schema: ref('Loose') }],
      requestBody: { content: { 'application/json': { schema: ref('Thing') } } },
    })
    expect(readOperation(document, 'makeThing').input).toEqual({
      type: 'object',
      properties: {
        place: { type: 'string', description: 'Where.' },
        q: { type: 'string', description: 'What.' },
        ...THING.properties,
      },
      required: ['place', 'id'],
      additionalProperties: false,
    })
  })

  it('takes an idempotency key as an optional argument and no other header', () => {
    const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } })
    const operation = readOperation(
      documentWith({ parameters: [header('Idempotency-Key'), header('If-Match')] }),
      'makeThing',
    )
    expect(operation.takesIdempotencyKey).toBe(true)
    expect(Object.keys(operation.input.properties ?? {})).toEqual(['place', 'idempotency_key'])
    expect(operation.input.required).toEqual(['place'])
  })

  it('keeps the words of the parameter before those of its schema, and those of a $ref before both', () => {
    const own = documentWith({ parameters: [{ name: 'q', in: 'query', schema: ref('Loose') }] })
    expect(readOperation(own, 'makeThing').input.properties?.['q']?.description).toBe(
      'The words of the schema.',
    )
    const beside = { ...ref('Loose'), description: 'Words beside the reference.' }
    const nearer = documentWith({ parameters: [{ name: 'q', in: 'query', schema: beside }] })
    expect(readOperation(nearer, 'makeThing').input.properties?.['q']?.description).toBe(
      'Words beside the reference.',
    )
  })

  it('has the scopes of its own security, or of the document', () => {
    expect(readOperation(documentWith({}), 'makeThing').scopes).toEqual(['read'])
    expect(readOperation(documentWith({ security: [{ desk: ['write'] }] }), 'makeThing').scopes).toEqual([
      'write',
    ])
    expect(readOperation(documentWith({ security: [] }), 'makeThing').scopes).toEqual([])
  })

  it('may have inputs with the names that every object has', () => {
    const document = documentWith({
      parameters: [{ name: 'constructor', in: 'query', schema: { type: 'string' } }],
    })
    expect(Object.keys(readOperation(document, 'makeThing').input.properties ?? {})).toContain('constructor')
  })

  it.each([
    ['that is not there', documentWith({}), 'unmakeThing', 'no operation unmakeThing'],
    [
      'with two inputs of one name',
      documentWith({ parameters: [{ name: 'place', in: 'query', schema: { type: 'string' } }] }),
      'makeThing',
      'two inputs with the name place',
    ],
    [
      'with a reference to nothing',
      documentWith({ parameters: [{ $ref: '#/components/parameters/Nowhere' }] }),
      'makeThing',
      'no #/components/parameters/Nowhere',
    ],
    ['without an answer of JSON', documentWith({ responses: { '204': {} } }), 'makeThing', 'JSON object'],
  ])('%s stops the build', (_case, document, operation, message) => {
    expect(() => readOperation(document, operation)).toThrow(message)
  })
})

describe('A relaxed schema', () => {
  it('keeps the structure and drops the constraints on values', () => {
    expect(relax(THING)).toEqual({
      type: 'object',
      description: 'A thing.',
      additionalProperties: false,
      required: ['id'],
      properties: { id: { type: 'string' }, size: { type: 'integer' } },
    })
  })

  it('says a closed set in words', () => {
    expect(relax({ type: 'string', description: 'State.', enum: ['open', 'closed'] })).toEqual({
      type: 'string',
      description: 'State. One of: open, closed.',
    })
  })

  it('is relaxed at any depth', () => {
    const date = { type: 'string', format: 'date-time' }
    expect(relax({ type: 'array', maxItems: 1, items: { anyOf: [date, { type: 'null' }] } })).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    })
  })
})
