import { expect, test } from 'vitest'
import { readMigrations } from './migrate.ts'
import { splitStatements } from './split-statements.ts'

test('a script is split at semicolons, but not within strings, names, functions and comments', () => {
  expect(
    splitStatements(`
      -- One; two.
      create table a (b text default ';''', "c;d" text); /* three; */
      create function f() returns void language plpgsql as $t$ begin perform ';'; end $t$;
      select 1 - 2, $$ -- kept; $$
    `),
  ).toEqual([
    `create table a (b text default ';''', "c;d" text)`,
    `create function f() returns void language plpgsql as $t$ begin perform ';'; end $t$`,
    'select 1 - 2, $$ -- kept; $$',
  ])
})

test('every migration can be split', async () => {
  for (const { name, text } of await readMigrations())
    for (const statement of splitStatements(text))
      expect([name, statement]).toEqual([
        name,
        expect.stringMatching(/^(alter|create|drop|insert|update|delete|select|do|lock|with|grant|comment)\b/),
      ])
})
