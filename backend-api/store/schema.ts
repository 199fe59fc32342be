// The tables as kysely sees them; the truth is in migrations/. Ids are 64-bit integers, timestamps RFC 3339 text.
import type { Generated } from 'kysely'
import type { Event, Priority, Role, Status, Visibility } from '../../openapi/desk.gen.ts'

export interface Tables {
  people: { id: string; name: string; role: Role }
  tickets: {
    id: Generated<bigint>
    subject: string
    body: string
    status: Status
    priority: Priority
    requester_id: string
    assignee_id: string | null
    created_at: string
    updated_at: string
    closed_at: string | null
    resolution: string | null
  }
  ticket_tags: { ticket_id: bigint; position: number; tag: string }
  comments: {
    id: Generated<bigint>
    ticket_id: bigint
    author_id: string
    body: string
    visibility: Visibility
    created_at: string
  }
  events: {
    id: Generated<bigint>
    type: Event['type']
    ticket_id: bigint
    actor_id: string
    client_id: string
    created_at: string
    request_id: string | null
  }
  idempotency_keys: {
    caller_id: string
    key: string
    fingerprint: string
    answer: string | null
    expires_at: string
  }
  search_documents: { id: Generated<bigint>; ticket_id: bigint; visibility: Visibility }
  identity_entries: {
    model: string
    id: string
    payload: string
    grant_id: string | null
    uid: string | null
    account_id: string | null
    consumed_at: Generated<string | null>
    expires_at: string
  }
  passwords: { person_id: string; hash: string }
}
