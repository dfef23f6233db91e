-- In functions of triggers, the names of tables are quoted: from "orders" o. In a distributed database, each shard has a copy of
-- these functions with the names of shards in their place (core/storage/distributed-functions.ts). What is quoted is known to be
-- a table; before, tables were looked for in the text of each function. This marks the functions that exist.
do $$
declare
  own   record;
  named text;
  text  text;
  word  text;
  rest  text;
begin
  for own in
    select p.oid, pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and (p.prorettype = 'trigger'::regtype or p.proname in ('capture_changes', 'count_changes'))
  loop
    text := own.definition;
    for named in
      select c.relname from pg_class c
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and position(c.relname in own.definition) > 0
    loop
      foreach word in array array['from ', 'join ', 'into ', 'update '] loop
        foreach rest in array array[' ', ';', ')', ',', E'\n'] loop
          text := replace(text, word || named || rest, word || '"' || named || '"' || rest);
        end loop;
      end loop;
    end loop;
    if text <> own.definition then execute text; end if;
  end loop;
end $$;
