import { expect, test } from 'vitest'
import { kindOfStatement } from './statement-traces.ts'

test('a statement is named after the table that it reads or writes, not after a column', () => {
  for (const [text, kind] of [
    ['select "id" from "product" where "id" = $1', 'select product'],
    ['select used, ceil(extract(epoch from window_start - now()))::int as left from rate_window', 'select rate_window'],
    ['select a is distinct from b, c is not distinct from d from "app" where true', 'select app'],
    ['insert into "orders" ("id") select id from draft', 'insert orders'],
    ['commit', 'commit'],
  ] as const)
    expect(kindOfStatement(text), text).toBe(kind)
})
