import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { ValidationErrors } from '../../errors.ts'
import type { OrderContext } from './order-changes.ts'

// Every reply shows an order with all its deliveries, returns and refunds, so their number is limited.

export const MAX_PARTS = 100
const MAX_SHOWN_LINES = 5_000
const MAX_REASON_BYTES = 64 * 1024

interface Size {
  deliveries: number
  returns: number
  refunds: number
  /** Lines count as often as they are shown: a refund shows its return, a return its delivery. */
  lines: number
  reasons: number
}

const measure = async (db: Tx, { store, order }: OrderContext) => {
  const { rows } = await sql<Size>`
    with sent as (
      select d.id, d.is_return, count(l.order_line_id) as lines
      from delivery d left join delivery_line l on l.store_id = ${store} and l.delivery_id = d.id
      where d.store_id = ${store} and d.order_id = ${order} group by d.id, d.is_return
    ),
    returned as (
      select r.id, count(l.id) + coalesce(min(sent.lines), 0) as lines,
        coalesce(octet_length(r.reason), 0) + coalesce(sum(octet_length(l.reason)), 0) as reasons
      from order_return r left join return_line l on l.store_id = ${store} and l.return_id = r.id
      left join sent on sent.id = r.delivery_id
      where r.store_id = ${store} and r.order_id = ${order} group by r.id, r.reason
    ),
    refunded as (
      select f.id, count(l.id) + coalesce(min(returned.lines), 0) as lines,
        coalesce(octet_length(f.reason), 0) + coalesce(min(returned.reasons), 0) as reasons
      from refund f left join refund_line l on l.store_id = ${store} and l.refund_id = f.id
      left join returned on returned.id = f.return_id
      where f.store_id = ${store} and f.order_id = ${order} group by f.id, f.reason
    )
    select (select count(*) from sent where not is_return)::int as deliveries,
      (select count(*) from returned)::int as returns, (select count(*) from refunded)::int as refunds,
      ((select coalesce(sum(lines), 0) from sent where not is_return)
        + (select coalesce(sum(lines), 0) from returned) + (select coalesce(sum(lines), 0) from refunded))::int as lines,
      ((select coalesce(sum(reasons), 0) from returned)
        + (select coalesce(sum(reasons), 0) from refunded))::int as reasons`.execute(db)
  return rows[0] as Size
}

/** Call after the change is written: the error rolls it back. */
export const checkOrderSize = async (db: Tx, context: OrderContext) => {
  const size = await measure(db, context)
  const errors = new ValidationErrors()
  for (const part of ['deliveries', 'returns', 'refunds'] as const)
    if (size[part] > MAX_PARTS) errors.add(part, `must not be more than ${MAX_PARTS} per order`)
  if (size.lines > MAX_SHOWN_LINES)
    errors.add('variants', `would give the order more than ${MAX_SHOWN_LINES} lines in deliveries, returns and refunds`)
  if (size.reasons > MAX_REASON_BYTES)
    errors.add('reason', `would make the reasons of the order exceed ${MAX_REASON_BYTES / 1024} kB in total`)
  errors.throwIfAny()
}
