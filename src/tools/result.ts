// A reply of the ticket service as a tool result: checked against what clients were promised, cleaned, in both forms.
import type { Answer, Reply } from '../backend/reply.ts'
import type { CatalogueEntry } from './catalogue.ts'
import { report, type Failure, type FailureReport } from './failure.ts'
import { removeInvisibleDeep } from './invisible.ts'
import { badReply, failureOf, type Attempt } from './reply-failure.ts'

/** A `CallToolResult` of MCP. */
export interface ToolResult {
  content: [{ type: 'text'; text: string }]
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
  [key: string]: unknown
}

export type Outcome =
  | {
      readonly ok: true
      readonly value: Record<string, unknown>
      readonly removedCharacters: number
      /** Whether the reply left the contract in a way that does no harm. */
      readonly drifted: boolean
    }
  | { readonly ok: false; readonly failure: Failure }

/** `input` is what was asked for; the reply must not give more rows than that, and its cursor must move on. */
export function outcomeOf(
  entry: CatalogueEntry,
  input: Readonly<Record<string, unknown>>,
  reply: Reply,
  attempt: Attempt,
): Outcome {
  const failure = failureOf(reply, attempt)
  if (failure) return { ok: false, failure }
  const data = jsonOf(reply as Answer)
  if (data === undefined) return fail('not_json', 'its answer is not JSON')
  let drifted = !entry.validateContract(data)
  if (drifted && !entry.validateOutput(data))
    return fail('wrong_shape', 'its answer lacks something or has another shape')
  const rows = data as Record<string, unknown>
  if (stuckCursor(input, rows))
    return fail('cursor_stuck', 'the cursor of the next page is that of this page, so paging would never end')
  drifted = cutToLimit(entry, input, rows) || drifted
  const cleaned = removeInvisibleDeep(rows)
  return {
    ok: true,
    value: cleaned.value as Record<string, unknown>,
    removedCharacters: cleaned.removed,
    drifted,
  }

  function fail(code: string, detail: string): Outcome {
    return { ok: false, failure: badReply(code, detail, attempt) }
  }
}

/** The outcome as a tool result, and what was told about a failure. */
export function render(
  outcome: Outcome,
  requestId: string,
  wireName: (tool: string) => string,
): { readonly result: ToolResult; readonly told: FailureReport | undefined } {
  if (outcome.ok) return { result: successResult(outcome.value, outcome.removedCharacters), told: undefined }
  const told = report(outcome.failure, wireName)
  return { result: failureResult(told, requestId), told }
}

function successResult(value: Record<string, unknown>, removedCharacters: number): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(removedCharacters > 0 && { _meta: { 'desk/removed_characters': removedCharacters } }),
  }
}

/** The first line is the class and what happened, the second what to do next; `_meta` carries the same for programs. */
function failureResult(told: FailureReport, requestId: string): ToolResult {
  return {
    content: [
      {
        type: 'text',
        text: `[${told.class}] ${told.sentence}\n${told.next} Request id: ${requestId}.`,
      },
    ],
    isError: true,
    _meta: {
      'desk/error': {
        class: told.class,
        code: told.code,
        retryable: told.retryable,
        ...(told.retryAfterS !== undefined && { retry_after_s: told.retryAfterS }),
        ...(told.field !== undefined && { field: told.field }),
        request_id: requestId,
      },
    },
  }
}

function jsonOf(answer: Answer): unknown {
  if (answer.mediaType !== 'application/json') return undefined
  try {
    return JSON.parse(answer.text) as unknown
  } catch {
    return undefined
  }
}

function stuckCursor(
  input: Readonly<Record<string, unknown>>,
  rows: Readonly<Record<string, unknown>>,
): boolean {
  return ['', 'comments_'].some((prefix) => {
    const next = rows[`${prefix}next_cursor`]
    return typeof next === 'string' && next === input[`${prefix}cursor`]
  })
}

/** Keeps the promise of `limit` where the service does not; true when rows had to be cut. */
function cutToLimit(
  { operation }: CatalogueEntry,
  input: Readonly<Record<string, unknown>>,
  rows: Record<string, unknown>,
): boolean {
  const name = Object.keys(operation.input.properties ?? {}).find((argument) => /(^|_)limit$/.test(argument))
  if (name === undefined) return false
  const limit = Number(input[name] ?? operation.input.properties?.[name]?.['default'])
  const list = Object.keys(rows).find((key) => Array.isArray(rows[key]))
  if (list === undefined || (rows[list] as unknown[]).length <= limit) return false
  rows[list] = (rows[list] as unknown[]).slice(0, limit)
  return true
}
