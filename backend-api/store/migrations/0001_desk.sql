create table people (
  id text primary key check (length(id) between 1 and 128),
  name text not null check (length(name) between 1 and 200),
  role text not null check (role in ('customer', 'staff', 'admin'))
);

create table tickets (
  id integer primary key,
  subject text not null check (length(subject) between 1 and 200),
  body text not null check (length(body) between 1 and 8000),
  status text not null check (status in ('open', 'closed')),
  priority text not null check (priority in ('low', 'normal', 'high', 'urgent')),
  requester_id text not null references people (id),
  assignee_id text references people (id),
  created_at text not null,
  updated_at text not null,
  closed_at text,
  resolution text check (length(resolution) between 1 and 500),
  check ((status = 'closed') = (closed_at is not null)),
  check ((status = 'closed') = (resolution is not null))
);
create index tickets_by_requester on tickets (requester_id, id);
create index tickets_by_assignee on tickets (assignee_id, id);
create index tickets_by_status on tickets (status, id);
create index tickets_by_priority on tickets (priority, id);

create table ticket_tags (
  ticket_id integer not null references tickets (id),
  position integer not null check (position between 0 and 9),
  tag text not null check (length(tag) between 1 and 40),
  primary key (ticket_id, position),
  unique (ticket_id, tag)
);
create index ticket_tags_by_tag on ticket_tags (tag, ticket_id);

create table comments (
  id integer primary key,
  ticket_id integer not null references tickets (id),
  author_id text not null references people (id),
  body text not null check (length(body) between 1 and 4000),
  visibility text not null check (visibility in ('public', 'internal')),
  created_at text not null
);
create index comments_by_ticket on comments (ticket_id, id);
create index comments_by_visibility on comments (ticket_id, visibility, id);

create table events (
  id integer primary key,
  type text not null check (
    type in ('ticket_created', 'ticket_commented', 'ticket_closed', 'ticket_reopened', 'ticket_assigned')
  ),
  ticket_id integer not null references tickets (id),
  actor_id text not null references people (id),
  client_id text not null check (length(client_id) between 1 and 200),
  created_at text not null
);

create table idempotency_keys (
  caller_id text not null references people (id),
  key text not null check (length(key) between 1 and 128),
  fingerprint text not null,
  answer text,
  expires_at text not null
);
create unique index idempotency_keys_by_caller on idempotency_keys (caller_id, key);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- One row per searchable text: the ticket's own, and each comment's. Never changed once written.
create table search_documents (
  id integer primary key,
  ticket_id integer not null references tickets (id),
  visibility text not null check (visibility in ('public', 'internal'))
);
