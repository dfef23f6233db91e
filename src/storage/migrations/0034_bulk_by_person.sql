-- A job that a person starts in the console goes on with the permissions of that person.
alter table bulk_job add column account_id uuid;
