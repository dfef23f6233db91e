import { type FieldErrors, ValidationErrors } from '../errors.ts'
import { MAX_INTEGER } from '../input/schemas.ts'
import type { Db, Tx } from '../storage/database.ts'
import { isDistributed } from '../storage/distributed.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { StockChange } from './schema.ts'

type Fault = 'unknown' | 'ambiguous' | 'repeated' | 'short' | 'too_large'

interface Line {
  id: string | null
  product_id: string | null
  sku: string | null
  before: number | null
  after: number | null
  fault: Fault | null
}

/**
 * Finds the variants, locks them in the order of ids, as orders do, and writes the valid lines. Lines are checked
 * against the locked rows, so that two requests cannot take the same unit.
 */
const JUDGE = sqlText`
  with given as materialized (
    select * from unnest($2::uuid[], $3::text[], $4::int[], $5::int[]) with ordinality
      g (variant_id, sku, quantity, delta, line)
  ), found as materialized (
    select g.line, v.id from given g join variant v on v.store_id = $1 and v.id = g.variant_id
    union all
    select g.line, v.id from given g
    cross join lateral (select id from variant where store_id = $1 and sku = g.sku limit 2) v
  ), locked as materialized (
    select id, product_id, sku, quantity from variant
    where store_id = $1 and id in (select id from found) order by id for no key update
  ), matched as (
    select g.*, f.matches, l.id, l.product_id, l.sku as variant_sku, l.quantity as before,
      coalesce(g.quantity, l.quantity::bigint + g.delta) as after,
      row_number() over (partition by l.id order by g.line) as use
    from given g
    left join (select line, count(*) as matches, min(id::text)::uuid as id from found group by line) f
      on f.line = g.line
    left join locked l on l.id = f.id and f.matches = 1
  ), judged as materialized (
    select m.*, case
      when m.matches is null then 'unknown'
      when m.matches > 1 then 'ambiguous'
      when m.use > 1 then 'repeated'
      when m.after > ${MAX_INTEGER} then 'too_large'
      when m.delta < 0 and m.after < (case when p.allow_order_when_oos then -${MAX_INTEGER} else 0 end) then 'short'
    end as fault
    from matched m left join product p on p.store_id = $1 and p.id = m.product_id
  )`

const SELECT_JUDGED = sqlText`select id, product_id, variant_sku as sku, before, after, fault from judged order by line`

const APPLY = sqlText`${JUDGE}, written as (
    update variant v set quantity = j.after, updated_at = statement_timestamp() from judged j
    where v.store_id = $1 and v.id = j.id and j.fault is null and v.quantity <> j.after
      and not ($6 and exists (select 1 from judged where fault is not null))
  ) ${SELECT_JUDGED}`

const keyField = ({ variant_id }: StockChange) => (variant_id === undefined ? 'sku' : 'variant_id')

const errorsOf = (change: StockChange, { fault, before }: Line): FieldErrors => {
  const key = keyField(change)
  const field = change.delta === undefined ? 'quantity' : 'delta'
  switch (fault) {
    case null:
      return {}
    case 'unknown':
      return { [key]: [key === 'sku' ? 'must be the SKU of a variant' : 'must be the id of a variant'] }
    case 'ambiguous':
      return { sku: ['belongs to several variants: use variant_id'] }
    case 'repeated':
      return { [key]: ['is the variant of an earlier line'] }
    case 'too_large':
      return { [field]: ['would make the quantity too large'] }
    case 'short':
      return { delta: [`would take more than the ${before} in stock`] }
  }
}

/** Adds an error for each line that does not name one variant and one change. */
export const checkStockChanges = (changes: readonly StockChange[], errors: ValidationErrors) => {
  const seen = new Set<string>()
  for (const [n, change] of changes.entries()) {
    const { variant_id, sku, quantity, delta } = change
    const at = (field: string) => `stock.${n}.${field}`
    if (variant_id === undefined && sku === undefined) errors.add(at('variant_id'), 'or sku is required')
    if (variant_id !== undefined && sku !== undefined) errors.add(at('sku'), 'cannot be given together with variant_id')
    if (quantity === undefined && delta === undefined) errors.add(at('quantity'), 'or delta is required')
    if (quantity !== undefined && delta !== undefined) errors.add(at('delta'), 'cannot be given together with quantity')
    const key = JSON.stringify([variant_id, sku])
    if (seen.has(key)) errors.add(at(keyField(change)), 'is given twice')
    seen.add(key)
  }
}

const shown = (change: StockChange, line: Line) => ({
  variant_id: line.id,
  product_id: line.product_id,
  sku: line.sku,
  quantity: line.fault ? line.before : line.after,
  previous_quantity: line.before,
  errors: errorsOf(change, line),
})

const column = <K extends keyof StockChange>(changes: readonly StockChange[], field: K) =>
  changes.map((change) => change[field] ?? null)

/** Two statements for a distributed database, which takes none that locks and writes. */
const applyInSteps = async (db: Tx, store: StoreId, values: unknown[], atomic: boolean): Promise<Line[]> => {
  const lines = await runSql<Line>(db, sqlText`${JUDGE} ${SELECT_JUDGED}`, values)
  const valid = lines.filter(({ fault, before, after }) => fault === null && before !== after)
  if (valid.length === 0 || (atomic && lines.some(({ fault }) => fault !== null))) return lines
  await runSql(
    db,
    sqlText`update variant v set quantity = w.quantity, updated_at = statement_timestamp()
    from (select * from unnest($2::uuid[], $3::int[]) u (id, quantity)) w where v.store_id = $1 and v.id = w.id`,
    [store, valid.map(({ id }) => id), valid.map(({ after }) => after)],
  )
  return lines
}

/** Returns the stock of each line as JSON. With `atomic`, a line that cannot be applied refuses all. */
export const changeStock = async (
  db: Tx,
  store: StoreId,
  changes: readonly StockChange[],
  atomic: boolean,
): Promise<string> => {
  const values = [
    store,
    column(changes, 'variant_id'),
    column(changes, 'sku'),
    column(changes, 'quantity'),
    column(changes, 'delta'),
  ]
  const lines = isDistributed()
    ? await applyInSteps(db, store, values, atomic)
    : await runSql<Line>(db, APPLY, [...values, atomic])
  const results = lines.map((line, n) => shown(changes[n] as StockChange, line))
  if (atomic) {
    const refused = new ValidationErrors()
    for (const [n, { errors }] of results.entries())
      for (const [field, sentences] of Object.entries(errors))
        for (const sentence of sentences) refused.add(`stock.${n}.${field}`, sentence)
    refused.throwIfAny()
  }
  return JSON.stringify(results)
}

/** The current stock of each line, for a retry whose first reply was too large to be stored. */
export const currentStock = async (db: Db, store: StoreId, changes: readonly StockChange[]): Promise<string> => {
  const unchanged = changes.map(({ quantity: _quantity, ...change }) => ({ ...change, delta: 0 }))
  return changeStock(db as Tx, store, unchanged, false)
}
