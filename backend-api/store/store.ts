// The one door to the desk's data: every database implements this interface, and one suite tests them all.
// It carries out changes and answers questions; whether a change is allowed is for rules/ to say.
import type {
  Comment,
  Event,
  PersonWithRole,
  Priority,
  Status,
  Ticket,
  TicketSummary,
  Visibility,
} from '../../openapi/desk.gen.ts'
import type { Caller } from '../rules/caller.ts'
import type { Answer, Change } from '../rules/change.ts'
import type { TicketFilter } from '../rules/find-tickets.ts'
import type { Result } from '../rules/refusal.ts'
import type { View } from '../rules/view.ts'

/** `after` is the last key of the page before (digits), or null for the first page. */
export interface PageRequest {
  readonly after: string | null
  readonly limit: number
}

/** `next` is the key to continue after, or null on the last page; `total` counts all that match. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  readonly next: string | null
}

/** The questions that the desk answers, alone or inside a transaction. */
export interface DeskReads {
  /** Undefined for an id that does not exist, and for digits beyond the store's range. */
  findTicket(id: string, view: View): Promise<Ticket | undefined>
  findPerson(id: string): Promise<PersonWithRole | undefined>
  /** Those to whom tickets can be assigned, by id. */
  listStaff(): Promise<PersonWithRole[]>
  /** Newest first. */
  listTickets(filter: TicketFilter, page: PageRequest, view: View): Promise<Page<TicketSummary>>
  /** Every ticket, oldest first. */
  listAllTickets(page: PageRequest, view: View): Promise<Page<Ticket>>
  /** Oldest first; empty for a ticket that does not exist. */
  listComments(ticketId: string, page: PageRequest, view: View): Promise<Page<Comment>>
}

/** `fingerprint` stands for the whole request, so that another one under the same key is told apart. */
export interface IdempotencyKey {
  readonly value: string
  readonly fingerprint: string
}

export interface WriteRequest {
  readonly caller: Caller
  readonly view: View
  readonly now: Date
  readonly key: IdempotencyKey | undefined
  /** By which the change can be found in the log; 1 to 64 characters. */
  readonly requestId: string
}

/** `replayed`: the stored answer of an earlier request with the same key; nothing was done now. */
export type Written<C extends Change> =
  | { readonly replayed: false; readonly answer: Answer<C>; readonly type: C['type'] }
  | { readonly replayed: true; readonly answer: Answer<C> }

export interface Store extends DeskReads {
  /** Runs several reads against one state of the desk. `read` must ask the desk that it is given, and only that. */
  snapshot<Value>(read: (desk: DeskReads) => Promise<Value>): Promise<Value>

  /**
   * One transaction: claims the idempotency key, makes the caller known, lets `decide` look and judge, carries out the
   * change, appends its event and stores the answer under the key. A refusal leaves nothing behind.
   */
  write<C extends Change>(
    request: WriteRequest,
    decide: (desk: DeskReads) => Promise<Result<C>>,
  ): Promise<Result<Written<C>>>

  /** Committed events with larger ids than `after` (digits), in order. */
  listEvents(after: string, limit: number): Promise<Event[]>
  /** Id of the newest event, or '0'. */
  lastEventId(): Promise<string>
  /** Calls `listener` after every commit of a write; returns the function that ends this. */
  onCommit(listener: () => void): () => void

  countTickets(): Promise<Record<Status, number>>

  /** Fails when the store cannot answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A ticket with its whole history, for filling a desk. Timestamps are RFC 3339, UTC, with milliseconds. */
export interface TicketToLoad {
  readonly subject: string
  readonly body: string
  readonly priority: Priority
  readonly tags: readonly string[]
  readonly requesterId: string
  readonly assigneeId: string | null
  readonly createdAt: string
  readonly closed: { readonly at: string; readonly byId: string; readonly resolution: string } | null
  readonly comments: readonly CommentToLoad[]
}
export interface CommentToLoad {
  readonly authorId: string
  readonly body: string
  readonly visibility: Visibility
  readonly createdAt: string
}

/** Fills a desk in bulk, with the same rows, search documents and events that requests would leave. */
export interface DeskLoader {
  /**
   * All in one transaction; people first (known ones are updated). Reads `tickets` as it goes and in batches, so that a
   * generator of any length needs little memory. `clientId` is what the events name. Returns the number of tickets.
   */
  load(people: readonly PersonWithRole[], tickets: Iterable<TicketToLoad>, clientId: string): Promise<number>
}
