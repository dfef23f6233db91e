import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound, ValidationErrors } from '../../errors.ts'
import { checkLines, unitsText } from './check-lines.ts'
import type { NewRefund, RefundChange } from './fulfilment-schema.ts'
import { lockOrder, type OrderContext, recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { checkOrderSize } from './order-size.ts'
import { unitsLeft } from './queries.ts'

type RefundLine = NonNullable<NewRefund['variants']>[number]

/** Lines of the return, or none if it belongs to another order. */
const returnedLines = async (db: Tx, { store, order }: OrderContext, id: string): Promise<RefundLine[]> => {
  const lines = await db
    .selectFrom('return_line')
    .select(['order_line_id as order_variant_id', 'quantity'])
    .where('store_id', '=', store)
    .where('order_id', '=', order)
    .where('return_id', '=', id)
    .orderBy('id')
    .execute()
  if (lines.length === 0) throw invalid({ return_id: ['must be a return of this order'] })
  return lines
}

/** The lines to refund: those given, or those of the return. */
const chooseLines = async (db: Tx, context: OrderContext, given: NewRefund): Promise<RefundLine[]> => {
  const returned = given.return_id ? await returnedLines(db, context, given.return_id) : []
  if (!given.variants && given.amount === undefined && returned.length === 0)
    throw invalid({ amount: ['is required without variants or return_id'] })
  const errors = new ValidationErrors()
  const left = await unitsLeft(db, context.store, context.order, 'refund_line')
  if (given.variants) {
    checkLines(given.variants, left, errors, (left) =>
      left === 0
        ? 'must not be more than was ordered: all units have been refunded'
        : `must not be more than was ordered: ${unitsText(left)} left to refund`,
    )
    errors.throwIfAny()
    return given.variants
  }
  if (given.amount !== undefined) return []
  if (returned.some(({ order_variant_id, quantity }) => quantity > (left.get(order_variant_id) ?? 0)))
    errors.add('return_id', 'must not have been refunded already')
  errors.throwIfAny()
  return returned
}

const columns = (lines: readonly RefundLine[]) => ({
  ids: lines.map(({ order_variant_id }) => order_variant_id),
  quantities: lines.map(({ quantity }) => quantity),
  amounts: lines.map(({ amount }) => amount ?? null),
})

interface RefundTotals {
  amount: string
  /** Sum of the lines. A larger amount also refunds shipping, for example. */
  lines: string
  left: string
  below_lines: boolean
  beyond_left: boolean
  is_nothing: boolean
}

/** Computed by PostgreSQL with exact decimals. Pending refunds count like completed ones. */
const refundTotals = async (
  db: Tx,
  { store, order }: OrderContext,
  amount: number | undefined,
  lines: RefundLine[],
) => {
  const { ids, quantities, amounts } = columns(lines)
  const { rows } = await sql<RefundTotals>`
    select amount::text, trim_scale(lines)::text as lines, trim_scale(greatest(paid_left, 0))::text as left,
      amount < lines as below_lines, amount > paid_left as beyond_left, amount = 0 as is_nothing
    from (
      select coalesce(${amount ?? null}::numeric, asked.lines) as amount, asked.lines,
        case when o.status = 'paid' then o.total else 0 end - coalesce((
          select sum(r.amount) from refund r where r.store_id = ${store} and r.order_id = o.id
        ), 0) as paid_left
      from orders o, (
        select coalesce(sum(coalesce(a.amount, l.price * a.quantity)), 0) as lines
        from unnest(${ids}::uuid[], ${quantities}::int[], ${amounts}::numeric[]) a (line, quantity, amount)
        join order_line l on l.store_id = ${store} and l.id = a.line
      ) asked
      where o.store_id = ${store} and o.id = ${order}
    ) sums`.execute(db)
  return rows[0] as RefundTotals
}

const checkAmount = (sums: RefundTotals) => {
  const errors = new ValidationErrors()
  if (sums.is_nothing) errors.add('amount', 'must be more than 0')
  if (sums.below_lines) errors.add('amount', `must not be less than the sum of its lines: ${sums.lines}`)
  if (sums.beyond_left) errors.add('amount', `must not be more than was paid: ${sums.left} is left to refund`)
  errors.throwIfAny()
}

const addRefund = async (db: Tx, { store, order }: OrderContext, given: NewRefund, amount: string) => {
  const { id, status } = await db
    .insertInto('refund')
    .values({
      store_id: store,
      order_id: order,
      return_id: given.return_id ?? null,
      status: given.status ?? 'pending',
      amount,
      reason: given.reason || null,
    })
    .returning(['id', 'status'])
    .executeTakeFirstOrThrow()
  return { id, status }
}

const addLines = async (db: Tx, { store, order }: OrderContext, refund: string, lines: RefundLine[]) => {
  if (lines.length === 0) return
  const { ids, quantities, amounts } = columns(lines)
  await sql`
    insert into refund_line (store_id, order_id, refund_id, order_line_id, quantity, amount)
    select ${store}, ${order}, ${refund}, l.id, a.quantity, coalesce(a.amount, l.price * a.quantity)
    from unnest(${ids}::uuid[], ${quantities}::int[], ${amounts}::numeric[])
      with ordinality a (line, quantity, amount, place)
    join order_line l on l.store_id = ${store} and l.id = a.line
    order by a.place`.execute(db)
}

/** Refunds all or part of what was paid. */
export const refundOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: string,
  given: NewRefund,
): Promise<Written> => {
  if (!(await lockOrder(db, store, order))) throw notFound('order')
  const context = { store, order, app }
  const lines = await chooseLines(db, context, given)
  const sums = await refundTotals(db, context, given.amount, lines)
  checkAmount(sums)
  const { id, status } = await addRefund(db, context, given, sums.amount)
  await addLines(db, context, id, lines)
  await recordChange(db, context, { subject: 'refund', subject_id: id, from_state: null, to_state: status })
  await checkOrderSize(db, context)
  return { order, part: id }
}

export const findRefund = (db: Db, store: StoreId, id: string) =>
  db
    .selectFrom('refund')
    .select(['id', 'order_id', 'status', 'reason'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()

/** Any status can follow any other. Setting the current status adds no history entry. */
export const updateRefund = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  change: RefundChange,
): Promise<Written> => {
  const { order_id: order } = (await findRefund(db, store, id)) ?? {}
  if (!order || !(await lockOrder(db, store, order))) throw notFound('refund')
  const refund = await findRefund(db, store, id)
  if (!refund) throw notFound('refund')
  const status = change.status ?? refund.status
  const reason = change.reason === undefined ? refund.reason : change.reason || null
  if (status === refund.status && reason === refund.reason) return { order, part: id }
  await db.updateTable('refund').set({ status, reason }).where('store_id', '=', store).where('id', '=', id).execute()
  const context = { store, order, app }
  const event = { subject: 'refund', subject_id: id, from_state: refund.status, to_state: status } as const
  await recordChange(db, context, status === refund.status ? undefined : event)
  await checkOrderSize(db, context)
  return { order, part: id }
}
