-- A line that kills its process, or keeps it busy for ever, was tried again by every process that took the job up. Counts
-- the leases that were never given back since the job last made progress, so that such a line can be given up.
alter table bulk_job add column deaths integer not null default 0;
