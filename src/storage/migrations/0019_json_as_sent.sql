-- `jsonb` sorts keys and puts spaces behind commas and colons. What a caller sent comes back in the sequence it was sent
-- in, and answers are written alike throughout.
create function compact_json(value jsonb) returns text language plpgsql immutable as $$
begin
  return case jsonb_typeof(value)
    when 'object' then (
      select '{' || coalesce(string_agg(to_json(key)::text || ':' || compact_json(inner_value), ','), '') || '}'
      from jsonb_each(value) as entry (key, inner_value))
    when 'array' then (
      select '[' || coalesce(string_agg(compact_json(element), ',' order by n), '') || ']'
      from jsonb_array_elements(value) with ordinality as entry (element, n))
    else value::text
  end;
end $$;

alter table orders
  drop constraint orders_meta_data_check,
  alter column meta_data drop default,
  alter column meta_data type json using compact_json(meta_data)::json,
  alter column meta_data set default '{}',
  add constraint orders_meta_data_check check (json_typeof(meta_data) = 'object');

alter table order_line
  alter column options drop default,
  alter column options type json using compact_json(options)::json,
  alter column options set default '{}';

drop function compact_json;
