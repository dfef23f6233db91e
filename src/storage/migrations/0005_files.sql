-- Bytes whose fate is open: an upload whose row is not written yet, or a deletion whose bytes may still lie there.
-- The claim is committed before bytes are placed or a row is deleted, and goes once the matter is settled. So what a
-- crash leaves behind is found here, and neither the disk nor the table of files is ever searched for it.
create table blob_claim (
  store_id   uuid not null,
  id         uuid not null default new_id(),
  sha256     bytea not null,
  created_at timestamptz(3) not null default now(),
  primary key (store_id, id),
  -- Whoever wants to remove the bytes locks the blob first, and waits for whoever is claiming them.
  foreign key (store_id, sha256) references blob on delete cascade
);
create index blob_claim_blob on blob_claim (store_id, sha256);
create index blob_claim_age on blob_claim (created_at);

-- Serves `image/*` in the sequence of the list; the whole type is there so that counting needs no row.
create index file_kind on file (store_id, split_part(mime_type, '/', 1), created_at, id) include (mime_type);
