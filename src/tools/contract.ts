// The contract as tools need it: for each operation one closed input schema and one output schema, references resolved.
// Works on the parsed document only; knows no tool.

export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
}

export interface OperationContract {
  readonly method: 'get' | 'post'
  /** Path and query parameters, body properties and the idempotency key, side by side. */
  readonly input: JsonSchema
  /** The 2xx body exactly as the contract has it. */
  readonly output: JsonSchema
  /** Whether the operation takes an `Idempotency-Key`, as every write does. */
  readonly takesIdempotencyKey: boolean
  readonly scopes: readonly string[]
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

/** Name of the tool argument that travels as the `Idempotency-Key` header. */
export const IDEMPOTENCY_ARGUMENT = 'idempotency_key'

/**
 * Reads one operation out of an OpenAPI 3.1 document.
 * Throws when there is no such operation, or two of its inputs share a name: both are faults of the build.
 */
export function readOperation(document: unknown, operationId: string): OperationContract {
  const root = document as JsonSchema
  const found = findOperation(root, operationId)
  const parameters = found.parameters.map((parameter) => inline(root, parameter) as unknown as Parameter)
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const add = (name: string, schema: JsonSchema, isRequired: boolean) => {
    if (Object.hasOwn(properties, name))
      throw new Error(`${operationId} has two inputs with the name ${name}.`)
    properties[name] = schema
    if (isRequired) required.push(name)
  }
  for (const { name, in: place, schema, description, required: isRequired = false } of parameters) {
    if (place === 'header') continue
    add(name, { ...schema, ...(description && { description }) }, isRequired)
  }
  const body = jsonSchemaOf(root, found.operation['requestBody'])
  for (const [name, schema] of Object.entries(body?.properties ?? {}))
    add(name, schema, body?.required?.includes(name) ?? false)
  const key = parameters.find((parameter) => parameter.name === 'Idempotency-Key')
  if (key)
    add(
      IDEMPOTENCY_ARGUMENT,
      { ...key.schema, ...(key.description && { description: key.description }) },
      false,
    )

  return {
    method: found.method,
    input: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    output: successSchema(root, found.operation, operationId),
    takesIdempotencyKey: key !== undefined,
    scopes: scopesOf(root, found.operation),
  }
}

/**
 * The schema that clients are given for results: the contract's structure without value constraints, so that a drifting
 * backend (a new status, a date without zone) still yields results that a validating client accepts.
 */
export function relax(schema: JsonSchema): JsonSchema {
  const { type, description, properties, required, items, anyOf, additionalProperties } = schema
  const values = schema.enum ? `One of: ${schema.enum.join(', ')}.` : undefined
  const words = [description, values].filter((part) => part !== undefined).join(' ')
  return {
    ...(type !== undefined && { type }),
    ...(words && { description: words }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, relax(value)])),
    }),
    ...(required && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
    ...(items && { items: relax(items) }),
    ...(anyOf && { anyOf: anyOf.map(relax) }),
  }
}

function findOperation(root: JsonSchema, operationId: string) {
  for (const item of Object.values(root['paths'] as Record<string, JsonSchema>))
    for (const method of ['get', 'post'] as const) {
      const operation = item[method] as JsonSchema | undefined
      if (operation?.['operationId'] !== operationId) continue
      const parameters = [item['parameters'], operation['parameters']].flatMap(
        (list) => (list ?? []) as JsonSchema[],
      )
      return { method, operation, parameters }
    }
  throw new Error(`The contract has no operation ${operationId}.`)
}

function successSchema(root: JsonSchema, operation: JsonSchema, operationId: string): JsonSchema {
  const responses = operation['responses'] as Record<string, JsonSchema>
  const schema = jsonSchemaOf(root, responses['201'] ?? responses['200'])
  if (schema?.type !== 'object') throw new Error(`${operationId} does not answer with a JSON object.`)
  return schema
}

function jsonSchemaOf(root: JsonSchema, holder: unknown): JsonSchema | undefined {
  if (holder === undefined) return undefined
  const content = inline(root, holder as JsonSchema)['content'] as Record<string, { schema: JsonSchema }>
  return content['application/json']?.schema
}

function scopesOf(root: JsonSchema, operation: JsonSchema): readonly string[] {
  const security = (operation['security'] ?? root['security']) as readonly Record<string, readonly string[]>[]
  return security.flatMap((requirement) => Object.values(requirement).flat())
}

/** Replaces every local reference by what it points to. The contract has no cycles. */
function inline(root: JsonSchema, node: JsonSchema): JsonSchema {
  const reference = node['$ref']
  if (typeof reference === 'string') {
    const beside = Object.entries(node).filter(([key]) => key !== '$ref')
    return { ...inline(root, resolve(root, reference)), ...Object.fromEntries(beside) }
  }
  return mapValues(node, (value) => inlineValue(root, value))
}

function inlineValue(root: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => inlineValue(root, element))
  return value !== null && typeof value === 'object' ? inline(root, value as JsonSchema) : value
}

function resolve(root: JsonSchema, reference: string): JsonSchema {
  const steps = reference.replace(/^#\//, '').split('/')
  const target = steps.reduce<unknown>((node, step) => (node as JsonSchema | undefined)?.[step], root)
  if (target === undefined) throw new Error(`The contract has no ${reference}.`)
  return target as JsonSchema
}

function mapValues(node: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]))
}
