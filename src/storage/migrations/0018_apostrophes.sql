-- Search knows one apostrophe only (text.ts, foldForSearch); what was written before has them as they were typed.
update order_search set text = translate(text, '‘’‛ʼʻ′`', repeat('''', 7)) where text ~ '[‘’‛ʼʻ′`]';
update customer set search = translate(search, '‘’‛ʼʻ′`', repeat('''', 7)) where search ~ '[‘’‛ʼʻ′`]';

-- Two of them are letters to Unicode, and stood inside of words, where the others part them. Each word starts with the
-- eight characters of its store's mark.
create function pg_temp.parted(words tsvector) returns tsvector language sql as $$
  select array_to_tsvector(array_agg(distinct left(word, 8) || part))
  from unnest(tsvector_to_array(words)) word, regexp_split_to_table(substr(word, 9), '[ʼʻ]') part
  where part <> ''
$$;
update product set words = coalesce(pg_temp.parted(words), ''), title_words = coalesce(pg_temp.parted(title_words), '')
where words::text ~ '[ʼʻ]';
