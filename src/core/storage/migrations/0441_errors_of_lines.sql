-- A retry whose first reply was too large to store is rendered again from what is there now, which cannot tell what was refused:
-- a line of POST /stock that took too much looked as if it had been applied. The errors of the lines are kept in any case.
alter table idempotency add column line_errors text;
