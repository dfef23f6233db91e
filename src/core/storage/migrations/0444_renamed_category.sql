-- In schema/
-- Renaming a category dropped the texts of all its products, which nothing wrote again before the next change of each: until then,
-- every read rendered them.
create or replace function drop_product_text() returns trigger language plpgsql as $$
begin
  -- A category that is renamed shows its name in a hole. The reference sets both of its columns.
  if new.category_id = old.category_id and new.category_key <> old.category_key then return null; end if;
  -- A category that is gone leaves a hole that shows null.
  if new.category_id is null and old.category_id is not null and not exists (
    select 1 from "category" c where c.store_id = old.store_id and c.id = old.category_id)
  then
    return null;
  end if;
  delete from "product_text" t where t.store_id = new.store_id and t.id = new.id;
  return null;
end $$;
