-- Whose sign-in an entry is, so that all of a person can be ended; what is there already says so in its payload.
alter table identity_entries add column account_id text;
update identity_entries set account_id = json_extract(payload, '$.accountId');
create index identity_entries_by_account on identity_entries (account_id) where account_id is not null;
