import { type Db, transact } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { lockSharedPhones, type SharedPhones } from './shared-phones.ts'

/** Hashing them takes a few milliseconds. */
const BATCH = 1_000

const SHARES = sqlText`(s.order_desk->'share_phone_counts')::boolean`

/** Stores whose copy is from an earlier day. One without phone numbers is looked at each time. */
const STALE = sqlText`select s.id from store s
  where ${SHARES} and not exists (select 1 from shared_phone p where p.store_id = s.id and p.made_on = $1::date) order by s.id`

const STILL_STALE = sqlText`select 1 from store s where s.id = $1 and ${SHARES}
  and not exists (select 1 from shared_phone p where p.store_id = $1 and p.made_on = $2::date)`

/** Not a number of somebody who was deleted, although their orders still have it. */
const COUNTS = sqlText`select c.phone, c.placed as orders, c.delivered, c.returned from phone_count c
  where c.store_id = $1 and c.phone > $2 and not exists (
    select 1 from orders o join deleted_customer_order d on d.store_id = $1 and d.order_id = o.id
    where o.store_id = $1 and o.phone_e164 = c.phone and o.phone_e164 <> '?')
  order by c.phone limit ${BATCH}`

const ADD = sqlText`insert into shared_phone (store_id, key, orders, delivered, returned, made_on)
  select $1::uuid, decode(n.key, 'hex'), n.orders, n.delivered, n.returned, $6::date
  from unnest($2::text[], $3::int[], $4::int[], $5::int[]) n (key, orders, delivered, returned)`

interface PhoneRow {
  phone: string
  orders: number
  delivered: number
  returned: number
}

/** Makes the copy of a store anew, unless another node just has. */
const renewStore = (db: Db, store: StoreId, { keyOf }: SharedPhones, day: string) =>
  transact(db, async (db) => {
    // First, as a change of the settings does.
    await runSql(db, sqlText`select 1 from store where id = $1 for key share`, [store])
    await lockSharedPhones(db, store)
    if ((await runSql(db, STILL_STALE, [store, day])).length === 0) return
    await runSql(db, sqlText`delete from shared_phone where store_id = $1`, [store])
    for (let after = ''; ; ) {
      const rows = await runSql<PhoneRow>(db, COUNTS, [store, after])
      const column = <Name extends keyof PhoneRow>(name: Name) => rows.map((row) => row[name])
      const counts = [column('orders'), column('delivered'), column('returned')]
      if (rows.length > 0) await runSql(db, ADD, [store, column('phone').map(keyOf), ...counts, day])
      if (rows.length < BATCH) return
      after = rows.at(-1)?.phone ?? ''
    }
  })

const REMOVE = sqlText`delete from shared_phone p using store s where s.id = p.store_id and not (${SHARES} and $1::boolean)`

/**
 * Copies once a day (UTC) what became of the orders of the phone numbers of each store that shares it, and removes the copies
 * of all others.
 */
export const renewSharedPhones = async (
  db: Db,
  sharedPhones: SharedPhones,
  day = new Date().toISOString().slice(0, 10),
) => {
  await runSql(db, REMOVE, [sharedPhones.isOn])
  if (!sharedPhones.isOn) return
  for (const { id } of await runSql<{ id: StoreId }>(db, STALE, [day])) await renewStore(db, id, sharedPhones, day)
}
