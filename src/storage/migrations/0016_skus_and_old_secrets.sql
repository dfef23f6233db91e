-- Products are found by the exact sku of any of their variants.
create index variant_sku on variant (store_id, sku, product_id) where sku is not null;

-- A rotated secret may work beside the new one for a while, so that whoever uses it has time to change.
alter table app
  add column old_secret_hash bytea check (length(old_secret_hash) = 32),
  add column old_secret_until timestamptz(3),
  add constraint app_old_secret check ((old_secret_hash is null) = (old_secret_until is null));

-- Every node hears of these as well.
drop trigger app_changed on app;
create trigger app_changed
  after update of secret_hash, old_secret_hash, old_secret_until, generation, disabled_at or delete on app
  for each row execute function announce_access_change();
