import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'

test('functions of triggers name tables in quotes, so that each shard can have a copy that names shards', async () => {
  const { db } = await startTestApi()
  const { rows } = await sql<{ name: string; found: string }>`
    select p.proname as name, m[1] as found from pg_proc p
    cross join lateral regexp_matches(p.prosrc, ${'\\m(?:from|join|into|update)\\s+([a-z_]+)\\M'}, 'g') m
    where p.pronamespace = current_schema()::regnamespace and p.prorettype = 'trigger'::regtype
      and to_regclass(m[1]) is not null`.execute(db)
  expect(rows).toEqual([])
})
