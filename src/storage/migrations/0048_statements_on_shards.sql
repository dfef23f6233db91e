-- Changes nothing. After each migration, a distributed database gets the functions of storage/distributed-functions.ts; this
-- one brings run_in_store().
select 1;
