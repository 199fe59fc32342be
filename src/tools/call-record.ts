// What is told of each tool call, from its first step to its end. No argument values and no ticket text get further
// than the digest that is made of them.
import type { Caller } from '../backend/caller.ts'
import type { OpenCall } from '../backend/open-call.ts'
import type { FailureClass } from './failure.ts'

export interface CallStart {
  readonly requestId: string
  /** A full name of the catalogue, or `other`. */
  readonly tool: string
  /** Operation of the contract; undefined for a tool that does not exist. */
  readonly operation: string | undefined
  readonly isWrite: boolean
  readonly caller: Caller
  readonly ticketId: string | undefined
  /** As the model sent them. */
  readonly arguments: unknown
  readonly message: MessageContext | undefined
}

/** What else came with the message. */
export interface MessageContext {
  /** JSON-RPC id. */
  readonly id: string | number
  /** `_meta` of the message, which may hold a trace context. */
  readonly meta: unknown
  /** Of the HTTP request, which may hold one too; names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface CallEnding {
  /** Of the ticket that the result is about, where the arguments name none. */
  readonly ticketId: string | undefined
  readonly errorClass: FailureClass | undefined
  readonly errorCode: string | undefined
  readonly removedCharacters: number
  readonly drifted: boolean
}

/** A call that whoever opened it ends. */
export interface RunningCall extends OpenCall {
  /** To be asked before a write is sent: false while writes are refused because they would leave no line in the audit. */
  readonly mayWrite: () => boolean
  readonly end: (ending: CallEnding) => void
}

export type OpenToolCall = (start: CallStart) => RunningCall

/** Where the time of a call went, and what the service answered last. */
export interface Spent {
  queueMs: number
  exchangeMs: number
  backendMs: number
  attempts: number
  status: number | undefined
  /** Code of the error that the last attempt ended with, where no answer came. */
  cause: string | undefined
  /** Of the replies' bodies. */
  bytes: number
}

export interface CallRecord extends CallStart, CallEnding {
  readonly traceId: string | undefined
  readonly seconds: number
  readonly spent: Readonly<Spent>
}
