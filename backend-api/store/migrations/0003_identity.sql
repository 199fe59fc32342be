-- What the embedded authorization server must not forget at a restart. Ids are digests of the secrets they stand for.
create table identity_entries (
  model text not null check (length(model) between 1 and 40),
  id text not null check (length(id) between 1 and 128),
  payload text not null,
  grant_id text,
  uid text,
  consumed_at text,
  expires_at text not null,
  primary key (model, id)
);
create index identity_entries_by_grant on identity_entries (grant_id);
create index identity_entries_by_uid on identity_entries (model, uid);
create index identity_entries_by_expiry on identity_entries (expires_at);
create index identity_entries_by_model_and_expiry on identity_entries (model, expires_at);

create table passwords (
  person_id text primary key references people (id),
  hash text not null check (length(hash) between 1 and 500)
);
