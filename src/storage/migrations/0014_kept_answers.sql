-- An answer that is too large to keep is rendered again for a retry: of which resource, is kept instead. The ETag is
-- part of the answer.
alter table idempotency add column resource_id uuid;
alter table idempotency add column etag text;
