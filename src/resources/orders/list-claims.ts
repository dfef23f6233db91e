import type { AppRecord } from '../../core/http/access.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { claimant } from './claim-order.ts'

/** As many as people could be at one desk. */
const MAX_CLAIMS = 200

interface ClaimRow {
  order_id: string
  order_ref: string
  claimed_by: string
  until: string
}

/** Only orders that wait, which a partial index has: whoever has recorded a result has left the order. */
const CLAIMS = sqlText`select o.id as order_id, o.ref as order_ref, o.claimed_by, iso(o.claimed_until) as until from orders o
  where o.store_id = $1 and o.confirmation in ('waiting', 'no_answer', 'postponed') and not o.is_cancelled
    and o.claimed_until > now()
  order by o.claimed_until desc, o.id limit ${MAX_CLAIMS}`

/** People and apps are not rows of a store, so a distributed database has them elsewhere. */
const NAMES = sqlText`
  select a.id, coalesce(nullif(a.name, ''), a.email) as name from account a where a.id = any($1::uuid[])
  union all select p.id, p.name from app p where p.id = any($1::uuid[])`

/** Who has which order before them now. */
export const listClaims = async (db: Db, store: StoreId, app: AppRecord) => {
  const rows = await runSql<ClaimRow>(db, CLAIMS, [store])
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ claimed_by }) => claimed_by))]
  const names = new Map(
    (await runSql<{ id: string; name: string }>(db, NAMES, [ids])).map(({ id, name }) => [id, name]),
  )
  return rows.map(({ claimed_by, ...row }) => ({
    ...row,
    by: names.get(claimed_by) ?? '',
    is_own: claimed_by === claimant(app),
  }))
}
