import { createHmac } from 'node:crypto'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** What stores of one operator share about phone numbers: what became of the orders, by a keyed hash of the number. */
export interface SharedPhones {
  /** Whether the operator allows it. */
  isOn: boolean
  /** The keyed hash of a number in E.164, in hexadecimal digits. */
  keyOf: (phone: string) => string
}

export const createSharedPhones = (key: Buffer, isOn: boolean): SharedPhones => ({
  isOn,
  keyOf: (phone) => createHmac('sha256', key).update(phone).digest('hex'),
})

/** Fewer other stores would say too much about each of them. */
export const MIN_STORES = 3

export interface SharedCounts {
  orders: number
  delivered: number
  returned: number
}

/**
 * Not for a store that shares nothing yet, nor for a number that it has no order of. Never which stores they are, and only
 * sums over several: whoever knows one of the others, or has a second store, cannot tell what the rest has.
 */
const ELSEWHERE = sqlText`
  select x.orders, x.delivered, x.returned from (
    select count(*) as stores, sum(p.orders)::int as orders, sum(p.delivered)::int as delivered,
      sum(p.returned)::int as returned
    from shared_phone p where p.key = decode($2, 'hex') and p.store_id <> $1
  ) x
  where x.stores >= ${MIN_STORES}
    and exists (select 1 from phone_count c where c.store_id = $1 and c.phone = $3)
    and exists (select 1 from shared_phone s where s.store_id = $1)`

/** What other stores know of a number; null if there is nothing to say, or nothing may be said. */
export const countsElsewhere = async (db: Db, store: StoreId, { keyOf }: SharedPhones, phone: string) =>
  (await runSql<SharedCounts>(db, ELSEWHERE, [store, keyOf(phone), phone]))[0] ?? null

const SHARES = sqlText`select (s.order_desk->'share_phone_counts')::boolean as shares from store s where s.id = $1`

export const sharesPhones = async (db: Db, store: StoreId) =>
  (await runSql<{ shares: boolean }>(db, SHARES, [store]))[0]?.shares === true

/** Whoever changes what a store shares waits for whoever renews it, and the other way round. */
export const lockSharedPhones = (db: Tx, store: StoreId) =>
  runSql(db, sqlText`select pg_advisory_xact_lock(${ADVISORY_LOCKS.sharedPhones}, hashtext($1))`, [store])

/** Takes out what a store has shared. */
export const unsharePhones = async (db: Tx, store: StoreId) => {
  await lockSharedPhones(db, store)
  await runSql(db, sqlText`delete from shared_phone where store_id = $1`, [store])
}

/** Takes out what a store has shared about these numbers. */
export const unshareNumbers = async (db: Tx, store: StoreId, { keyOf }: SharedPhones, phones: readonly string[]) => {
  if (phones.length === 0) return
  await lockSharedPhones(db, store)
  await runSql(
    db,
    sqlText`delete from shared_phone where store_id = $1
      and key in (select decode(k, 'hex') from unnest($2::text[]) k)`,
    [store, phones.map(keyOf)],
  )
}
