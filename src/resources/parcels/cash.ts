import { type Sql, sqlText, t } from '../../core/storage/sql.ts'

/** SQL about a delivery `d`. Every part names the store by the bound value: see docs/architecture/database.md. */

/** Orders that are paid at the door, and a parcel of which has arrived. */
export const isUnpaid = (o: Sql) =>
  sqlText`${o}.status = 'pending' and not ${o}.is_cancelled and 'delivered' = any(${o}.delivery_statuses)`

/** Parcels that have arrived, and whose carrier has paid nothing for them. */
export const isUnsettled = (d: Sql) => sqlText`${d}.status = 'delivered' and not ${d}.is_return
  and ${d}.carrier_id is not null and ${d}.cash_received_at is null`

/** Whether the carrier has collected money and not paid it yet. An order that is paid in another way owes nothing. */
export const owesCash = (d: Sql, store: Sql) => sqlText`(${isUnsettled(d)} and ${d}.order_id in (
  select o.id from ${t.orders} o where o.store_id = ${store} and ${isUnpaid(sqlText`o`)}))`

const valueOfLines = (store: Sql, parcels: Sql) => sqlText`coalesce((
  select sum(l.price * h.quantity) from ${t.delivery_line} h
  join ${t.order_line} l on l.store_id = ${store} and l.id = h.order_line_id
  where h.store_id = ${store} and h.delivery_id in (${parcels})), 0)`

const others = (d: Sql, store: Sql) => sqlText`select 1 from ${t.delivery} x
  where x.store_id = ${store} and x.order_id = ${d}.order_id and x.id <> ${d}.id and not x.is_return`

const totalOf = (d: Sql, store: Sql) =>
  sqlText`(select o.total from ${t.orders} o where o.store_id = ${store} and o.id = ${d}.order_id)`

/** The parcels of the order of `d`: the value of their items, what was paid for the others, and which of these come first. */
const parcelsOf = (d: Sql, store: Sql) => sqlText`
  select x.id = ${d}.id as own, ${valueOfLines(store, sqlText`x.id`)} as value,
    case when x.id <> ${d}.id then x.cash_received end as received,
    x.id <> ${d}.id and x.cash_received_at is null and x.status = 'delivered'
      and (x.created_at, x.id) < (${d}.created_at, ${d}.id) as first
  from ${t.delivery} x where x.store_id = ${store} and x.order_id = ${d}.order_id and not x.is_return`

/**
 * What is paid for a parcel at the door: its items. Whatever else the total contains (shipping, fee, tip, discount, digital
 * items) is paid with the parcel that arrives first; a discount that is larger than its items lowers what the next ones cost.
 * So it is what was to be paid up to this parcel, less what was paid for others, or still is for those that come first. The
 * only parcel of an order costs the total; its items are not read.
 */
export const cashOf = (d: Sql, store: Sql, total = totalOf(d, store)) => sqlText`case
  when not exists (${others(d, store)}) then ${total}
  else (
    select greatest(0, greatest(0, s.rest + s.before + s.own) - greatest(s.received, case when s.waits then s.rest + s.before end))
    from (
      select ${total} - sum(p.value) as rest, sum(p.value) filter (where p.own) as own,
        coalesce(sum(p.value) filter (where p.first or p.received is not null), 0) as before,
        coalesce(sum(p.received), 0) as received, bool_or(p.first) as waits
      from (${parcelsOf(d, store)}) p
    ) s)
  end`

/**
 * What becomes of parcels of which items are sent back: of those whose lines `h` meet a condition. A return of which no parcel
 * is known concerns every parcel with its lines.
 */
export const sentBack = (store: Sql, condition = sqlText`true`) => sqlText`
  select h.delivery_id, case when bool_or(b.status = 'delivered') then 'returned' else 'returning' end as state
  from ${t.return_line} r
  join ${t.order_return} t on t.store_id = ${store} and t.id = r.return_id
  join ${t.delivery} b on b.store_id = ${store} and b.id = t.delivery_id
  join ${t.delivery_line} h on h.store_id = ${store} and h.order_line_id = r.order_line_id
  where r.store_id = ${store} and b.status <> 'cancelled' and (t.parcel_id is null or t.parcel_id = h.delivery_id)
    and ${condition} group by h.delivery_id`

/** The status of the delivery, or what becomes of it once items of it are sent back. */
export const stateOf = (d: Sql, store: Sql) =>
  sqlText`coalesce((select w.state from (${sentBack(store, sqlText`h.delivery_id = ${d}.id`)}) w), ${d}.status)`
