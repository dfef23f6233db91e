import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { checkLines, unitsText } from './check-lines.ts'
import type { DeliverySplit } from './fulfilment-schema.ts'
import { lockOrder, recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { checkOrderSize } from './order-size.ts'

interface Held {
  delivery: string
  line: string
  quantity: number
}

/** Units in the order's unfulfilled deliveries, oldest delivery first. */
const heldLines = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<Held>`
    select d.id as delivery, h.order_line_id as line, h.quantity
    from delivery d join delivery_line h on h.store_id = ${store} and h.delivery_id = d.id
    where d.store_id = ${store} and d.order_id = ${order} and d.status = 'unfulfilled' and not d.is_return
    order by d.created_at, d.id`.execute(db)
  const held = new Map<string, Held[]>()
  for (const row of rows) held.set(row.delivery, [...(held.get(row.delivery) ?? []), row])
  return held
}

const orderLines = async (db: Tx, store: StoreId, order: string) =>
  db.selectFrom('order_line').select('id').where('store_id', '=', store).where('order_id', '=', order).execute()

const total = (lines: readonly { quantity: number }[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)

/** Chooses the delivery to take units from. A delivery must not become empty, because others may refer to its id. */
const chooseSource = async (db: Tx, store: StoreId, order: string, { delivery_id, variants }: DeliverySplit) => {
  const held = await heldLines(db, store, order)
  const named = delivery_id
  const errors = new ValidationErrors()
  if (named && !held.has(named)) errors.add('delivery_id', 'must be an unfulfilled delivery of this order')
  errors.throwIfAny()

  const sources = [...held].filter(([id]) => !named || id === named)
  const most = new Map((await orderLines(db, store, order)).map(({ id }) => [id, 0]))
  for (const { line, quantity } of sources.flatMap(([, lines]) => lines))
    most.set(line, Math.max(quantity, most.get(line) ?? 0))
  checkLines(
    variants,
    most,
    errors,
    (left) => `must not be more than one unfulfilled delivery holds: ${unitsText(left)} there`,
  )
  errors.throwIfAny()

  const holds = (lines: readonly Held[]) =>
    variants.every(({ order_variant_id, quantity }) =>
      lines.some((held) => held.line === order_variant_id && held.quantity >= quantity),
    )
  const fitting = sources.filter(([, lines]) => holds(lines))
  const [source] = fitting.find(([, lines]) => total(lines) > total(variants)) ?? []
  if (fitting.length === 0) errors.add('variants', 'must all be in one unfulfilled delivery')
  else if (!source) errors.add('variants', 'must leave at least one unit in the delivery they are taken from')
  errors.throwIfAny()
  return source as string
}

const moveLines = async (db: Tx, store: StoreId, order: string, from: string, to: string, moved: DeliverySplit) => {
  const ids = moved.variants.map(({ order_variant_id }) => order_variant_id)
  const quantities = moved.variants.map(({ quantity }) => quantity)
  const moving = sql`(select * from unnest(${ids}::uuid[], ${quantities}::int[]) u (line, quantity)) m`
  await sql`delete from delivery_line h using ${moving}
    where h.store_id = ${store} and h.delivery_id = ${from} and h.order_line_id = m.line and h.quantity = m.quantity`.execute(
    db,
  )
  await sql`update delivery_line h set quantity = h.quantity - m.quantity from ${moving}
    where h.store_id = ${store} and h.delivery_id = ${from} and h.order_line_id = m.line and h.quantity > m.quantity`.execute(
    db,
  )
  await sql`
    insert into delivery_line (store_id, order_id, delivery_id, order_line_id, quantity)
    select ${store}::uuid, ${order}::uuid, ${to}::uuid, m.line, m.quantity from ${moving}`.execute(db)
}

/** Moves units from one unfulfilled delivery to a new one. */
export const splitDelivery = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: string,
  split: DeliverySplit,
): Promise<Written> => {
  if (!(await lockOrder(db, store, order))) throw notFound('order')
  const source = await chooseSource(db, store, order, split)
  const { id } = await db
    .insertInto('delivery')
    .values({ store_id: store, order_id: order })
    .returning('id')
    .executeTakeFirstOrThrow()
  await moveLines(db, store, order, source, id, split)
  const context = { store, order, app }
  await recordChange(db, context, { subject: 'delivery', subject_id: id, from_state: null, to_state: 'unfulfilled' })
  await checkOrderSize(db, context)
  return { order, part: id }
}
