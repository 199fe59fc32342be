// What a tool is: data plus one typed call. Enforcement lives in the runner, shapes in the contract.
import type { operations } from '../../openapi/desk.gen.ts'
import type { DeskApi } from '../backend/backend.ts'

export type OperationId = keyof operations
export type Scope = 'tickets:read' | 'tickets:write' | 'desk:admin'

/** Claims about a tool's behaviour; each is tested. None may be left out. */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface CallContext {
  readonly signal: AbortSignal
  /** The caller's own key, or one minted for this call. */
  readonly idempotencyKey: string
}

type Part<Op extends OperationId, In extends 'path' | 'query'> =
  NonNullable<operations[Op]['parameters'][In]> extends infer Parameters
    ? [Parameters] extends [never]
      ? unknown
      : Parameters
    : unknown
type Body<Op extends OperationId> = operations[Op] extends {
  requestBody: { content: { 'application/json': infer Json } }
}
  ? Json
  : unknown

/** The arguments of a tool: the operation's path and query parameters and the properties of its body, side by side. */
export type Input<Op extends OperationId> = Part<Op, 'path'> & Part<Op, 'query'> & Body<Op>

export interface ToolDefinition<Op extends OperationId, In = Input<Op>> {
  /** Lower snake case, 3 to 41 characters, without the namespace. */
  readonly name: string
  readonly operation: Op
  readonly scope: Scope
  readonly title: string
  readonly description: {
    readonly what: string
    /** Starts with "Use this" and names the neighbouring tool. */
    readonly when: string
    /** Starts with "Returns". */
    readonly returns: string
  }
  readonly annotations: Hints
  /** Deadline of a call, waiting and retries included; left out: that of the configuration. */
  readonly timeoutMs?: number
  call(api: DeskApi, input: In, context: CallContext): Promise<{ response: Response }>
}

/** A tool whose arguments were checked against its schema before `call` sees them. */
export type Tool = ToolDefinition<OperationId, never>

/** Ties the call to its operation: a wrong path, a missing header or a misspelt argument does not compile. */
export function defineTool<Op extends OperationId>(definition: ToolDefinition<Op>): Tool {
  return definition
}
