-- The operator can suspend a store, of a tenant who does not pay for example: its tokens are refused, and the console shows
-- the store without changing it. Announced by the statement that suspends, because a distributed database takes no trigger
-- on this table.
alter table store add column suspended_at timestamptz(3);

-- The audit log is read by page, and by the person, the store or the kind of act.
create index audit_entry_account on audit_entry (account_id, at);
create index audit_entry_store on audit_entry (store_id, at);
create index audit_entry_act on audit_entry (act, at);
