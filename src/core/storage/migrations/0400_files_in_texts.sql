-- Files whose address stands in a text were taken for unused, and their deletion for harmless. The ids in each text, null for
-- most: behind a slash, as addresses have them. Written with functions that every machine of a distributed database has.
alter table product add column file_ids text[] generated always as (
  case when description ~ '/[0-9a-f]{8}-[0-9a-f]{4}-' then string_to_array(btrim(translate(regexp_replace(regexp_replace(
    description, '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
    E'\x01', '')), ' ') end) stored;
create index product_file_ids on product using gin (store_id, file_ids) where file_ids is not null;

alter table landing_page add column file_ids text[] generated always as (
  case when coalesce(screenshot_url, '') || ' ' || coalesce(meta_description, '') ~ '/[0-9a-f]{8}-[0-9a-f]{4}-'
  then string_to_array(btrim(translate(regexp_replace(regexp_replace(
    coalesce(screenshot_url, '') || ' ' || coalesce(meta_description, ''),
    '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
    E'\x01', '')), ' ') end) stored;
create index landing_page_file_ids on landing_page using gin (store_id, file_ids) where file_ids is not null;

alter table policy add column file_ids text[] generated always as (
  case when content ~ '/[0-9a-f]{8}-[0-9a-f]{4}-' then string_to_array(btrim(translate(regexp_replace(regexp_replace(
    content, '/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})', E'\x01\\1\x02', 'g'), E'(^|\x02)[^\x01]*', ' ', 'g'),
    E'\x01', '')), ' ') end) stored;
create index policy_file_ids on policy using gin (store_id, file_ids) where file_ids is not null;
