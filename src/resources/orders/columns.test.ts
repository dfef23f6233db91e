import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { transact } from '../../core/storage/database.ts'
import { type ColumnKind, EMPTY_ORDER, ORDER_COLUMNS } from './columns.ts'

const TYPES: Record<ColumnKind, string[]> = {
  id: ['uuid not null'],
  code: ['text not null'],
  status: ['text not null'],
  text: ['text not null'],
  optional_text: ['text'],
  reference: ['uuid', 'text'],
  money: ['numeric(14,3) not null'],
  optional_money: ['numeric(14,3)'],
  count: ['integer not null'],
  flag: ['boolean not null'],
  time: ['timestamp(3) with time zone not null'],
  optional_time: ['timestamp(3) with time zone'],
  json: ['json not null'],
}

test('every declared column of an order is in the table, with the type and the default of its kind', async () => {
  const { db } = await startTestApi()
  const { rows } = await sql<{ name: string; type: string; otherwise: string | null }>`
    select a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end) as type,
      pg_get_expr(d.adbin, d.adrelid) as otherwise
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = 'orders'::regclass and a.attnum > 0`.execute(db)
  const columns = new Map(rows.map((row) => [row.name, row]))
  for (const [name, kind] of Object.entries<ColumnKind>(ORDER_COLUMNS)) {
    const { type, otherwise } = columns.get(name) ?? {}
    expect(TYPES[kind], name).toContain(type)
    // What the database gives a row is what a new order is rendered with.
    const empty = EMPTY_ORDER[name as keyof typeof EMPTY_ORDER]
    if (empty !== undefined)
      expect(otherwise, name).toBe(empty === null ? null : empty === '' ? "''::text" : String(empty))
  }
})

// biome-ignore lint/suspicious/noExplicitAny: a transaction on any tables.
const triggersOf = async (db: Kysely<any>) => {
  const { rows } = await sql<{ name: string; definition: string; body: string }>`
    select t.tgname as name, pg_get_triggerdef(t.oid) as definition, p.prosrc as body
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = 'orders'::regclass and not t.tgisinternal
    order by t.tgname`.execute(db)
  return rows
}

class Undone extends Error {}

test.skipIf(isOnCitus)('a column is captured and shown after one call of the migration that adds it', async () => {
  const api = await startTestApi()
  const { id } = (await (await api.as()).post('/order', {})).body.data.order
  const check = transact(api.db, async (db) => {
    const before = await triggersOf(db)
    await sql`select order_columns_changed()`.execute(db)
    expect(await triggersOf(db)).toEqual(before)
    await sql`alter table orders add column gift_note text`.execute(db)
    await sql`select order_columns_changed()`.execute(db)
    await sql`insert into order_text (store_id, id, text) values (${api.store.id}, ${id}, '{}')`.execute(db)
    await sql`update orders set gift_note = 'Happy birthday' where id = ${id}`.execute(db)
    const texts = await sql`select 1 from order_text where id = ${id}`.execute(db)
    expect(texts.rows).toEqual([])
    const changes =
      await sql`select changed, previous from change where resource_id = ${id} and 'gift_note' = any(changed)`.execute(
        db,
      )
    expect(changes.rows).toEqual([{ changed: ['gift_note'], previous: {} }])
    throw new Undone()
  })
  await expect(check).rejects.toThrow(Undone)
})
