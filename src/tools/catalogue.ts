// The tools as clients see them, built once at start-up: schemas from the contract, validators compiled, list ready.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { catalogueDigest } from './catalogue-digest.ts'
import { readOperation, relax, type JsonSchema, type OperationContract } from './contract.ts'
import type { Budget } from './admission.ts'
import type { Hints, Tool } from './define-tool.ts'

/** A tool's own name: lower snake case, 3 to 41 characters. */
const TOOL_NAME = /^[a-z][a-z0-9_]{2,40}$/
const NAMESPACE = /^[a-z][a-z0-9_]{0,40}$/
/** Leaves room for a client's own prefix `mcp__<server>__` inside the usual 64 characters. */
const MAX_WIRE_NAME = 48
const CLIENT_LIMIT = /^[a-zA-Z0-9_-]{1,64}$/

/** A name that breaks the house rule. */
export class NameRuleError extends Error {}

/** A tool in `tools/list`, exactly as it goes over the wire. */
export interface WireTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly outputSchema: JsonSchema & { readonly type: 'object' }
  readonly annotations: Hints
}

export interface CatalogueEntry {
  readonly tool: Tool
  readonly wire: WireTool
  readonly operation: OperationContract
  readonly budget: Budget
  readonly validateInput: ValidateFunction
  /** The contract to the letter. What fails here and passes `validateOutput` is drift. */
  readonly validateContract: ValidateFunction
  /** What clients were promised. Removes properties that nobody was promised. */
  readonly validateOutput: ValidateFunction
}

export interface Catalogue {
  readonly list: readonly WireTool[]
  /** Of all tools, the same in every namespace. */
  readonly digest: string
  /** By full name. */
  readonly get: (wireName: string) => CatalogueEntry | undefined
  /** Full name of a tool. */
  readonly wireName: (tool: string) => string
}

export interface CatalogueOptions {
  readonly namespace: string
  /** The parsed OpenAPI document. */
  readonly contract: unknown
  readonly tools: readonly Tool[]
}

/** Throws when a name breaks the house rule or a tool names an unknown operation, so that neither gets past the start. */
export function createCatalogue({ namespace, contract, tools }: CatalogueOptions): Catalogue {
  if (!NAMESPACE.test(namespace))
    throw new NameRuleError(`The namespace "${namespace}" must match ${NAMESPACE.source}.`)
  const wireName = (tool: string) => `${namespace}__${tool}`
  const compile = createCompilers()
  const entries = new Map<string, CatalogueEntry>()
  for (const tool of tools) {
    const name = wireName(tool.name)
    checkName(tool.name, name, namespace)
    if (entries.has(name)) throw new Error(`Two tools have the name ${tool.name}.`)
    entries.set(name, createEntry(tool, name, readOperation(contract, tool.operation), compile))
  }
  const list = [...entries.values()].map((entry) => entry.wire)
  const digest = catalogueDigest(entries.values())
  return { list, digest, get: (name) => entries.get(name), wireName }
}

function checkName(tool: string, name: string, namespace: string): void {
  if (!TOOL_NAME.test(tool))
    throw new NameRuleError(`The tool name "${tool}" must match ${TOOL_NAME.source}.`)
  if (name.length > MAX_WIRE_NAME)
    throw new NameRuleError(
      `The tool name "${name}" is longer than ${MAX_WIRE_NAME} characters: shorten the namespace.`,
    )
  const inClient = `mcp__${namespace.replaceAll('_', '-')}__${name}`
  if (!CLIENT_LIMIT.test(inClient))
    throw new NameRuleError(
      `A client would call it "${inClient}", over 64 characters: shorten the namespace.`,
    )
}

function createEntry(
  tool: Tool,
  name: string,
  operation: OperationContract,
  compile: ReturnType<typeof createCompilers>,
): CatalogueEntry {
  const { what, when, returns } = tool.description
  const outputSchema = { ...relax(operation.output), type: 'object' as const }
  const inputSchema = { ...operation.input, type: 'object' as const }
  return {
    tool,
    operation,
    budget: budgetOf(tool),
    wire: {
      name,
      title: tool.title,
      description: `${what} ${when} ${returns}`,
      inputSchema,
      outputSchema,
      annotations: tool.annotations,
    },
    validateInput: compile.input(inputSchema),
    validateContract: compile.contract(operation.output),
    validateOutput: compile.output(outputSchema),
  }
}

/** Administrators' reads are of the whole desk, so they are billed apart. */
function budgetOf({ scope, annotations }: Tool): Budget {
  if (scope === 'desk:admin') return 'exports'
  return annotations.readOnlyHint ? 'reads' : 'writes'
}

type Compile = (schema: JsonSchema) => ValidateFunction

/** One Ajv for each way of checking: each compiles the meta-schema before anything else, which costs more than ours do. */
function createCompilers(): Readonly<Record<'input' | 'contract' | 'output', Compile>> {
  return {
    input: createCompile({ allErrors: true }),
    contract: createCompile({}),
    output: createCompile({ removeAdditional: true }),
  }
}

function createCompile(options: { allErrors?: boolean; removeAdditional?: boolean }): Compile {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ...options })
  addFormats.default(ajv)
  return (schema) => ajv.compile(schema)
}
