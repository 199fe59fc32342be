// The one runner of all tools: scope, arguments, deadline, call, result. Knows neither the SDK nor HTTP.
import { randomUUID } from 'node:crypto'
import { replyOf, type Backend } from '../backend/backend.ts'
import type { Caller } from '../backend/caller.ts'
import type { OpenCall } from '../backend/open-call.ts'
import { clientKey, type Busy, type Enter, type Permit, type TakePermit } from './admission.ts'
import { readArguments } from './arguments.ts'
import type { MessageContext, OpenToolCall, RunningCall } from './call-record.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import { closest } from './closest.ts'
import { IDEMPOTENCY_ARGUMENT } from './contract.ts'
import { startDeadline } from './deadline.ts'
import type { Failure } from './failure.ts'
import { outcomeOf, render, type Outcome, type ToolResult } from './result.ts'

/** Lanes empty quickly; a model that waits longer gains nothing. */
const BUSY_RETRY_S = 1

export interface RunnerPorts {
  readonly catalogue: Catalogue
  readonly backend: Backend
  /** Deadline of tools that have none of their own. */
  readonly timeoutMs: number
  /** Whether the operator lets this OAuth client call the tool, by its name without the namespace. */
  readonly mayUse: (clientId: string, tool: string) => boolean
  readonly takePermit: TakePermit
  readonly enter: Enter
  readonly openCall: OpenToolCall
  /** Told of exceptions, which are always faults of ours. */
  readonly onBug: (error: unknown, requestId: string) => void
}

export interface RunOptions {
  readonly signal: AbortSignal
  readonly requestId: string
  /** What was billed for this call already, where the transport has a ceiling to answer for. */
  readonly permit?: Permit | undefined
  readonly message?: MessageContext | undefined
}

export type RunTool = (
  name: string,
  args: unknown,
  caller: Caller,
  options: RunOptions,
) => Promise<ToolResult>

/** The scopes that the tool needs and the caller lacks: the one place where that is decided. */
export function missingScopes(entry: CatalogueEntry, caller: Caller): readonly string[] {
  return caller.scopes.has(entry.tool.scope) ? [] : [entry.tool.scope]
}

/** Runs a tool by its full name. Every failure is a result; the promise never rejects. */
export function createRunner(ports: RunnerPorts): RunTool {
  const { catalogue } = ports
  return async (name, args, caller, options) => {
    const entry = catalogue.get(name)
    const opened = ports.openCall({
      requestId: options.requestId,
      tool: entry ? name : 'other',
      operation: entry?.tool.operation,
      isWrite: entry?.budget === 'writes',
      caller,
      ticketId: entry && ticketIdOf(args),
      arguments: args,
      message: options.message,
    })
    const outcome = entry
      ? await admit(ports, entry, args, caller, options, opened).catch((error: unknown): Outcome => {
          ports.onBug(error, options.requestId)
          return failed({ kind: 'internal' })
        })
      : failed({ kind: 'unknown_tool', name: shown(name), nearest: nearest(catalogue, name) })
    const { result, told } = render(outcome, options.requestId, catalogue.wireName)
    opened.end({
      ticketId: outcome.ok ? ticketIdOf(outcome.value['ticket'] ?? outcome.value) : undefined,
      errorClass: told?.class,
      errorCode: told?.code,
      removedCharacters: outcome.ok ? outcome.removedCharacters : 0,
      drifted: outcome.ok && outcome.drifted,
    })
    return result
  }
}

/** Permits, then the call within its deadline. */
async function admit(
  ports: RunnerPorts,
  entry: CatalogueEntry,
  args: unknown,
  caller: Caller,
  options: RunOptions,
  opened: RunningCall,
): Promise<Outcome> {
  if (!ports.mayUse(caller.clientId, entry.tool.name))
    return failed({
      kind: 'forbidden',
      code: 'client_policy',
      detail: `The operator does not let the client "${shown(caller.clientId)}" call this tool.`,
    })
  const missing = missingScopes(entry, caller)
  if (missing.length > 0)
    return failed({
      kind: 'forbidden',
      code: 'insufficient_scope',
      detail: `This needs the scope ${missing.join(' ')}, which your token does not have.`,
    })
  const permit = options.permit ?? (await ports.takePermit(entry.budget, caller))
  if (permit.kind !== 'allowed')
    return failed({ kind: 'rate_limited', code: 'over_limit', retryAfterS: permit.retryAfterS })
  const read = readArguments(entry.operation.input, entry.validateInput, args)
  if (!read.ok) return failed({ kind: 'invalid_arguments', faults: read.faults })

  if (entry.budget === 'writes' && !opened.mayWrite())
    return failed({ kind: 'backend_unavailable', code: 'audit_unavailable' })

  const deadline = startDeadline(options.signal, entry.tool.timeoutMs ?? ports.timeoutMs)
  const queue = opened.begin('queue')
  try {
    const entered = await ports.enter(clientKey(caller), deadline.signal, () => {
      queue.end('entered')
      return call(ports, entry, read.input, caller, deadline.signal, opened)
    })
    if (typeof entered !== 'string') return entered
    queue.end(entered)
    return failed(refusalOf(entered))
  } finally {
    deadline.end()
  }
}

async function call(
  ports: RunnerPorts,
  entry: CatalogueEntry,
  args: Readonly<Record<string, unknown>>,
  caller: Caller,
  signal: AbortSignal,
  opened: OpenCall,
): Promise<Outcome> {
  const { [IDEMPOTENCY_ARGUMENT]: given, ...input } = args
  // A key of our own for each write without one: whoever repeats the call with it cannot do it twice.
  const idempotencyKey = typeof given === 'string' ? given : randomUUID()
  const api = ports.backend.as(caller, opened)
  const reply = replyOf(await entry.tool.call(api, input as never, { signal, idempotencyKey }))
  return outcomeOf(entry, input, reply, {
    idempotencyKey: entry.operation.takesIdempotencyKey ? idempotencyKey : undefined,
  })
}

function refusalOf(busy: Busy): Failure {
  switch (busy) {
    case 'client_busy':
      return { kind: 'rate_limited', code: busy, retryAfterS: BUSY_RETRY_S }
    case 'overloaded':
      return { kind: 'backend_unavailable', code: busy, retryAfterS: BUSY_RETRY_S }
    case 'left':
      return { kind: 'backend_unavailable', code: 'not_reached' }
  }
}

function failed(failure: Failure): Outcome {
  return { ok: false, failure }
}

function nearest(catalogue: Catalogue, name: string): readonly string[] {
  const own = closest(
    name.replace(/^.*__/, ''),
    catalogue.list.map((tool) => tool.name.replace(/^.*__/, '')),
    3,
  )
  return own.map(catalogue.wireName)
}

function shown(name: string): string {
  return name.replace(/[^\w.-]/g, '?').slice(0, 64)
}

/** For log and audit: an id of the right form and nothing else that a model may have sent. */
export function ticketIdOf(args: unknown): string | undefined {
  const id = (args as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' && /^T-\d{1,19}$/.test(id) ? id : undefined
}
