-- What these find out of a file, note_links() finds out for all files of a statement at once. New databases never had them.
drop function if exists kinds_of_owners(uuid, uuid);
drop function if exists is_shown_publicly(uuid, uuid);
drop function if exists is_sold(uuid, uuid);
