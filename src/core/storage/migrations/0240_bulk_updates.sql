-- Whoever changes many resources at once means those that exist: a line of `upsert` for an order that was deleted in the
-- meantime would place a new one.
alter table bulk_job drop constraint bulk_job_mode_check;
alter table bulk_job add constraint bulk_job_mode_check check (mode in ('create', 'upsert', 'update'));
