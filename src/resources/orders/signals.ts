import { array, type JsonText, object, quoted, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { identifier, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { type OrderSignals, REASONS, type Reason } from './desk-schema.ts'

/**
 * Signals change when another order of the phone number does, so they are not part of the text of an order: they are read
 * with it, from the counts of the number and from the orders around it.
 */

/** What became of an order. */
export const outcomeOf = (o: Sql) =>
  sqlText`order_outcome(${o}.status, ${o}.is_cancelled, ${o}.is_archived, ${o}.delivery_statuses, ${o}.return_statuses)`

/** The number of an order. Not looked at yet is as good as none. */
const phone = (o: Sql) => sqlText`nullif(${o}.phone_e164, '?')`

/** The earliest other order that this one may be a duplicate of, or the other way round. */
const earliestTwin = (o: Sql, store: Sql, who: Sql) => sqlText`
  select x.id from ${t.orders} x
  where x.store_id = ${store} and ${who} and x.id <> ${o}.id
    and x.created_at between ${o}.created_at - interval '48 hours' and ${o}.created_at + interval '48 hours'
    and ${outcomeOf(sqlText`x`)} = 'open'
    and exists (select 1 from ${t.order_line} a join ${t.order_line} b on b.store_id = ${store} and b.product_id = a.product_id
      where a.store_id = ${store} and a.order_id = ${o}.id and b.order_id = x.id)
  order by x.created_at, x.id limit 1`

const NULL = sqlText`null`

/** The twin of one order: a function, which costs nothing unless it is called. */
const calledTwin = (o: Sql, store: Sql, phone: Sql, customer: Sql) =>
  sqlText`earliest_twin(${store}, ${o}.id, ${phone}, ${customer}, ${o}.created_at)`

const twin = (o: Sql, store: Sql, open: Sql, isSingle: boolean) => {
  const byPhone = isSingle
    ? calledTwin(o, store, sqlText`${o}.phone_e164`, NULL)
    : earliestTwin(o, store, sqlText`x.phone_e164 = ${o}.phone_e164 and x.phone_e164 <> '?'`)
  const byCustomer = isSingle
    ? calledTwin(o, store, NULL, sqlText`${o}.customer_id`)
    : earliestTwin(o, store, sqlText`x.customer_id = ${o}.customer_id and x.phone_e164 is null`)
  return sqlText`case
    when ${outcomeOf(o)} <> 'open' then null
    when ${o}.phone_e164 <> '?' then case when ${open} > 1 then (${byPhone}) end
    when ${o}.customer_id is not null then (${byCustomer})
    end`
}

/** What other orders of the number say: without what became of this one. */
const withoutOwn = (o: Sql, counted: 'delivered' | 'returned') =>
  sqlText` - (${outcomeOf(o)} = '${identifier(counted)}')::integer`
const NOTHING = sqlText``

/** What the reasons of an order `o` follow from besides its own columns, given the counts `c` of its number. */
const facts = (o: Sql, store: Sql, { ofOthers = false, isSingle = false } = {}) => sqlText`
  c.placed, c.delivered${ofOthers ? withoutOwn(o, 'delivered') : NOTHING} as delivered,
  c.returned${ofOthers ? withoutOwn(o, 'returned') : NOTHING} as returned, c.open,
  ${twin(o, store, sqlText`c.open`, isSingle)} as twin, ${phone(o)} as phone`

/**
 * The reasons of an order `o` by its facts `f`. These are to be computed before, by a subquery with `offset 0`: PostgreSQL puts
 * the function into the statement only if its arguments are columns.
 */
const reasons = (o: Sql) => sqlText`signal_reasons(f.rules, ${o}.customer_phone, f.phone, ${o}.customer_address,
  ${o}.delivery_statuses <> '{}', ${o}.quantity, f.delivered, f.returned, f.twin is not null)`

/** What is known about an order `o`, as a row: the counts of its number, its twin, and the reasons. */
export const signalFacts = (o: Sql, store: Sql, { isSingle = false } = {}) => sqlText`
  select f.placed, f.delivered, f.returned, f.open, f.twin, ${reasons(o)} as reasons
  from (
    select ${facts(o, store, { isSingle })}, c.rules
    from (
      select coalesce(p.placed, 0) as placed, coalesce(p.delivered, 0) as delivered, coalesce(p.returned, 0) as returned,
        coalesce(p.open, 0) as open, s.order_desk as rules
      from ${t.store} s left join ${t.phone_count} p on p.store_id = ${store} and p.phone = ${o}.phone_e164
      where s.id = ${store}
    ) c offset 0
  ) f offset 0`

/** The twin of an order, if it is the earlier one of the two. */
export const duplicateOf = (o: Sql, store: Sql, twin: Sql) => sqlText`(
  select t.id from ${t.orders} t
  where t.store_id = ${store} and t.id = ${twin} and (t.created_at, t.id) < (${o}.created_at, ${o}.id))`

/** The level of an order. */
export const levelOf = (o: Sql, store: Sql) =>
  sqlText`(select signal_level(g.reasons) from (${signalFacts(o, store)}) g)`

const O = sqlText`o`

/**
 * Orders `o` that meet a condition, each with these columns, what became of it, and the level that it has by what other orders
 * of its number say: what becomes of it does not decide what was expected. For many orders: counts are joined.
 */
export const expectedLevels = (store: Sql, columns: Sql, condition: Sql) => sqlText`
  select g.*, signal_level(g.reasons) as level
  from (
    select f.*, ${reasons(sqlText`f`)} as reasons
    from (
      select ${columns}, ${outcomeOf(O)} as outcome, o.customer_phone, o.customer_address, o.delivery_statuses, o.quantity,
        ${facts(O, store, { ofOthers: true })}, s.order_desk as rules
      from ${t.orders} o
      join ${t.store} s on s.id = ${store}
      left join ${t.phone_count} p on p.store_id = ${store} and p.phone = o.phone_e164
      cross join lateral (
        select coalesce(p.placed, 0) as placed, coalesce(p.delivered, 0) as delivered, coalesce(p.returned, 0) as returned,
          coalesce(p.open, 0) as open
      ) c
      where o.store_id = ${store} and ${condition} offset 0
    ) f offset 0
  ) g`

/** Whether an order has a twin. Of numbers with one open order, none has. */
export const isDuplicate = (o: Sql, store: Sql) =>
  sqlText`(select g.twin is not null from (${signalFacts(o, store)}) g)`

/** Columns as text. */
interface SignalsRow {
  id: string
  phone: string | null
  placed: string
  delivered: string
  returned: string
  open: string
  duplicate_of: string | null
  is_first: string | null
  level: string
  /** Separated by commas. */
  reasons: string
}

const ORDERS = sqlText`orders`
const STORE = sqlText`orders.store_id`

const isFirst = sqlText`case when orders.phone_e164 <> '?' then
  g.placed = 0 or g.placed = 1 and orders.status <> 'abandoned'
    or is_first_of_phone(${STORE}, orders.phone_e164, orders.created_at, orders.id) end`

const earlierTwin = sqlText`case when g.twin is not null and
  is_placed_before(${STORE}, g.twin, orders.created_at, orders.id) then g.twin end`

/** A number or a boolean. */
const plain = (text: string) => text as JsonText<never>

const signalsText = (row: SignalsRow) =>
  object<OrderSignals>({
    phone: value(row.phone),
    duplicate_of: value(row.duplicate_of),
    phone_orders: plain(row.placed),
    phone_delivered: plain(row.delivered),
    phone_returned: plain(row.returned),
    phone_open: plain(row.open),
    first_order: plain(row.is_first ?? 'null'),
    level: quoted(row.level),
    reasons: array(
      row.reasons
        .split(',')
        .filter((code) => code !== '')
        .map((code) =>
          object<OrderSignals['reasons'][number]>({ code: quoted(code), text: value(REASONS[code as Reason]) }),
        ),
    ),
  })

/** The signals of an order. The hole refers to the order. */
export const signalsKind = rowKind<unknown>({
  table: 'orders',
  joined: (store) => sqlText`cross join lateral (${signalFacts(ORDERS, store, { isSingle: true })}) g`,
  columns: {
    id: sqlText`orders.id`,
    phone: phone(ORDERS),
    placed: sqlText`g.placed`,
    delivered: sqlText`g.delivered`,
    returned: sqlText`g.returned`,
    open: sqlText`g.open`,
    duplicate_of: earlierTwin,
    is_first: isFirst,
    level: sqlText`signal_level(g.reasons)`,
    reasons: sqlText`array_to_string(g.reasons, ',')`,
  },
  texts: (row: SignalsRow) => [[row.id, signalsText(row)]],
})
