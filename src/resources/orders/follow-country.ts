import { type Db, transact } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { announceSettings } from '../settings/queries.ts'
import { phoneNumber } from './phone.ts'

const BATCH = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

interface Moved {
  id: StoreId
  country: string | null
}

/** Stores whose country is no longer the one by which the numbers of their orders were read. */
const MOVED = sqlText`select s.id, s.country_id as country from store s
  where s.phones_country is distinct from s.country_id order by s.id limit 100`

const NEXT = sqlText`select o.id, o.customer_phone as phone from orders o
  where o.store_id = $1 and o.id > $2 and o.country_id is null and o.customer_phone <> ''
  order by o.id limit ${BATCH} for no key update`

/** In the order of the numbers, whose counts are locked one after the other. */
const SAVE = sqlText`update orders o set phone_e164 = n.phone
  from (select * from unnest($2::uuid[], $3::text[]) u (id, phone) order by u.phone) n
  where o.store_id = $1 and o.id = n.id and o.phone_e164 is distinct from n.phone`

/** Unless the store has moved on meanwhile. */
const DONE = sqlText`update store set phones_country = $2 where id = $1 and country_id is not distinct from $2`

/** Reads the numbers of some orders again. Returns the last of these, if there may be more. */
const readBatch = (db: Db, { id: store, country }: Moved, after: string) =>
  transact(db, async (db) => {
    const rows = await runSql<{ id: string; phone: string }>(db, NEXT, [store, after])
    const phones = await Promise.all(rows.map(({ phone }) => phoneNumber(phone, country)))
    await runSql(db, SAVE, [store, rows.map(({ id }) => id), phones])
    return rows.length < BATCH ? undefined : rows.at(-1)?.id
  })

/**
 * Reads phone numbers without a country code again, in stores that have named another country. Orders that are placed
 * meanwhile are read by the new one. Whoever keeps replies hears of it: the signals of these orders have changed.
 */
export const followCountries = async (db: Db) => {
  for (const moved of await runSql<Moved>(db, MOVED, [])) {
    for (let after: string | undefined = FIRST; after !== undefined; ) after = await readBatch(db, moved, after)
    await transact(db, async (db) => {
      await runSql(db, DONE, [moved.id, moved.country])
      await announceSettings(db, moved.id)
    })
  }
}
