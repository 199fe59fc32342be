-- The request that made the change, by which the logs tell more; unknown for what was loaded in bulk or came before.
alter table events add column request_id text check (length(request_id) between 1 and 64);
create index events_by_ticket on events (ticket_id, id);
create index events_by_request on events (request_id) where request_id is not null;
