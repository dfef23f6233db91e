-- Printed on packing lists and invoices. Without a reference: in a distributed database every machine has all stores, but not
-- all files. Whoever reads it looks for the file.
alter table store add column logo_id uuid;
