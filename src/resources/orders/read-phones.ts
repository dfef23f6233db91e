import { type Db, transact } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { phoneNumber } from './phone.ts'

const BATCH = 500

interface Unread {
  id: string
  phone: string
  country: string | null
}

/** By store: only within one may a statement of Citus lock rows. */
const STORE = sqlText`select store_id from orders where phone_e164 = '?' limit 1`
const NEXT = sqlText`
  select o.id, o.customer_phone as phone, coalesce(o.country_id, (select s.country_id from store s where s.id = $1)) as country
  from orders o where o.store_id = $1 and o.phone_e164 = '?' order by o.id limit ${BATCH} for no key update of o`

/** In the order of the numbers, whose counts are locked one after the other. */
const SAVE = sqlText`
  update orders o set phone_e164 = n.phone
  from (select * from unnest($2::uuid[], $3::text[]) u (id, phone) order by u.phone) n
  where o.store_id = $1 and o.id = n.id and o.phone_e164 = '?'`

const readBatch = (db: Db) =>
  transact(db, async (db) => {
    const [first] = await runSql<{ store_id: StoreId }>(db, STORE, [])
    if (!first) return 0
    const rows = await runSql<Unread>(db, NEXT, [first.store_id])
    const phones = await Promise.all(rows.map(({ phone, country }) => phoneNumber(phone, country)))
    await runSql(db, SAVE, [first.store_id, rows.map(({ id }) => id), phones])
    return rows.length
  })

/** Reads the phone numbers of orders that were written without, by psql for example. */
export const readPhones = async (db: Db, say: (line: string) => void) => {
  let done = 0
  for (;;) {
    const read = await readBatch(db)
    if (read === 0) break
    done += read
    if (done % (BATCH * 40) === 0) say(`Phone numbers of orders: ${done} read.`)
  }
  if (done > 0) say(`Phone numbers of orders: ${done} read.`)
}
