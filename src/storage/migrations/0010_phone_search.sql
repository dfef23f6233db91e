-- Phone numbers in the text that search looks through are written so that few of them share a trigram (see
-- customers/search-text.ts): first a letter for each digit, then a character for each three digits in a row.
create function pg_temp.phones(numbers text) returns text language sql immutable as $$
  select coalesce(string_agg(translate(number, '0123456789', 'QRSTUVWXYZ') || ' ' || dense.text || ' ', ''
    order by place), '')
  from regexp_split_to_table(btrim(numbers), ' +') with ordinality n (number, place)
  cross join lateral (
    select coalesce(string_agg(chr(19968 + substr(number, at, 3)::int), '' order by at), '') as text
    from generate_series(1, length(number) - 2) at
  ) dense
  where number <> ''
$$;

update order_search set text = split_part(text, E'\t', 1) || E'\t ' || pg_temp.phones(split_part(text, E'\t', 2))
  || split_part(text, E'\t', 3);
update customer set search = split_part(search, E'\t', 1) || E'\t ' || pg_temp.phones(split_part(search, E'\t', 2));
