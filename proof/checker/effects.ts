import type { Json, Write } from '../record.ts'
import { ANY, type ModelLine, money, refundShown, returnShown, sortedHistory, thousandths } from './states.ts'

/** What the model knows of an order, beyond what is shown. */
export interface OrderModel {
  shown: Json
  lines: ModelLine[]
}

export interface Lookup {
  order: (id: string) => OrderModel | undefined
  customerByEmail: (email: string) => string | undefined
  /** The product of a variant. */
  productOf: (variant: string) => string | undefined
  isTracked: (variant: string) => boolean
}

export type StockMove = { variant: string; add: number } | { variant: string; set: number }

/** What one write does to each resource. */
export interface Effects {
  /** Of the order, after the write. */
  order?: OrderModel
  /** By product. */
  stock: Map<string, StockMove[]>
  /** By customer; `undefined` stands for one whose id nobody knows. */
  customers: Map<string | undefined, { orders: number; spent: number; from?: Json }>
}

const known = (customer: string) => (customer === ANY ? undefined : customer)

const holdsStock = ({ status, is_cancelled }: Json) => status !== 'abandoned' && !is_cancelled
const spentOf = ({ status, is_cancelled, total }: Json) => (status === 'paid' && !is_cancelled ? thousandths(total) : 0)

/** Units that a line has in parcels that left, and units that came back. */
const unitsOf = (shown: Json, line: ModelLine) => {
  const returnParcels = new Set(shown.returns.map(({ delivery }: Json) => delivery?.id))
  const sum = (rows: Json[]) => rows.reduce((total, { quantity }) => total + quantity, 0)
  const sent = shown.deliveries
    .filter(({ id, status }: Json) => !returnParcels.has(id) && ['shipped', 'delivered'].includes(status))
    .flatMap(({ lines }: Json) => lines.filter(({ id }: Json) => id === line.id))
  const back = shown.returns.flatMap(({ lines }: Json) => lines.filter((entry: Json) => entry.line === line.id))
  const restocked = sum(back.filter(({ restock }: Json) => restock))
  return { sent: sum(sent), returned: sum(back), restocked, out: Math.max(0, line.taken - restocked) }
}

const addMove = (effects: Effects, { productOf }: Lookup, variant: string, add: number) => {
  const product = productOf(variant)
  if (!product || add === 0) return
  const moves = effects.stock.get(product) ?? []
  const same = moves.find((move) => move.variant === variant && 'add' in move) as { add: number } | undefined
  if (same) same.add += add
  else moves.push({ variant, add })
  effects.stock.set(product, moves)
}

/** Gives back what has not left. */
const release = (effects: Effects, lookup: Lookup, { shown, lines }: OrderModel): ModelLine[] =>
  lines.map((line) => {
    const { out, sent, returned, restocked } = unitsOf(shown, line)
    const next = Math.min(out, Math.max(sent, returned) - restocked)
    if (next >= out) return line
    addMove(effects, lookup, line.variant, out - next)
    return { ...line, taken: next + restocked }
  })

/** Takes what a reactivated order needs. */
const reserve = (effects: Effects, lookup: Lookup, { shown, lines }: OrderModel): ModelLine[] =>
  lines.map((line) => {
    const { out, restocked } = unitsOf(shown, line)
    const next = line.quantity - restocked
    if (!lookup.isTracked(line.variant) || !lookup.productOf(line.variant) || next <= out) return line
    addMove(effects, lookup, line.variant, out - next)
    return { ...line, taken: next + restocked }
  })

const createOrder = (write: Write, effects: Effects, lookup: Lookup) => {
  const { body, reply } = write
  const takes = holdsStock({ status: body.status, is_cancelled: false })
  const ordered = body.variants as { variant_id: string; quantity: number }[]
  if (takes)
    for (const { variant_id, quantity } of ordered)
      if (lookup.isTracked(variant_id)) addMove(effects, lookup, variant_id, -quantity)
  if (body.customer_email) {
    const known = reply ? (reply.customer_id as string) : lookup.customerByEmail(body.customer_email)
    const from = { name: body.customer_first_name, email: body.customer_email, address: body.customer_address }
    const spent = reply ? spentOf({ ...body, is_cancelled: false, total: reply.total }) : Number.NaN
    effects.customers.set(known, { orders: 1, spent, from })
  }
}

const NAMES = ['status', 'is_cancelled', 'is_archived'] as const

const updateOrder = (write: Write, was: OrderModel, effects: Effects, lookup: Lookup) => {
  const { body, app, reply } = write
  const shown = { ...was.shown, ...body }
  const history = [...was.shown.history]
  for (const name of NAMES)
    if (was.shown[name] !== shown[name])
      history.push({
        app_id: app,
        subject: name,
        subject_id: write.id,
        from: String(was.shown[name]),
        to: String(shown[name]),
      })
  let lines = was.lines
  if (holdsStock(was.shown) && !holdsStock(shown)) lines = release(effects, lookup, was)
  if (!holdsStock(was.shown) && holdsStock(shown)) lines = reserve(effects, lookup, was)
  const before = spentOf(was.shown)
  const after = spentOf(shown)
  if (was.shown.customer_email !== shown.customer_email) {
    shown.customer_id = reply ? reply.customer_id : (lookup.customerByEmail(shown.customer_email) ?? ANY)
    const from = { name: shown.customer_first_name, email: shown.customer_email, address: shown.customer_address }
    if (was.shown.customer_id) effects.customers.set(known(was.shown.customer_id), { orders: -1, spent: -before })
    effects.customers.set(known(shown.customer_id), { orders: 1, spent: after, from })
  } else if (shown.customer_id && before !== after)
    effects.customers.set(known(shown.customer_id), { orders: 0, spent: after - before })
  effects.order = { shown: { ...shown, history }, lines }
}

const deleteOrder = (was: OrderModel, effects: Effects, lookup: Lookup) => {
  if (holdsStock(was.shown)) release(effects, lookup, was)
  if (was.shown.customer_id)
    effects.customers.set(known(was.shown.customer_id), { orders: -1, spent: -spentOf(was.shown) })
}

const entry = (app: string, subject: string, subject_id: string, from: string | null, to: string) => ({
  app_id: app,
  subject,
  subject_id,
  from,
  to,
})

const updateDelivery = ({ path, body, app }: Write, was: OrderModel, effects: Effects) => {
  const id = path.split('/').at(-1) as string
  const change = (delivery: Json) =>
    delivery?.id === id
      ? {
          ...delivery,
          status: body.status ?? delivery.status,
          tracking_number: body.tracking_number ?? delivery.tracking_number,
        }
      : delivery
  const { shown } = was
  const returned = shown.returns.find(({ delivery }: Json) => delivery?.id === id)
  const before = returned ? returned.delivery : shown.deliveries.find((delivery: Json) => delivery.id === id)
  if (!before) return
  const next = change(before)
  const note = next.status !== before.status
  const subject = returned
    ? entry(app, 'return', returned.id, before.status, next.status)
    : entry(app, 'delivery', id, before.status, next.status)
  effects.order = {
    lines: was.lines,
    shown: {
      ...shown,
      deliveries: shown.deliveries.map(change),
      returns: shown.returns.map((one: Json) => ({ ...one, delivery: change(one.delivery) })),
      history: note ? [...shown.history, subject] : shown.history,
    },
  }
}

const splitDelivery = ({ reply, body, app }: Write, was: OrderModel, effects: Effects) => {
  if (!reply) return
  const { shown } = was
  const [{ order_variant_id: line, quantity }] = body.variants
  const lines = [{ id: line, quantity }]
  const parcel = { id: reply.id, status: 'unfulfilled', tracking_number: null, lines }
  const returnParcels = new Set(shown.returns.map(({ delivery }: Json) => delivery?.id))
  const total = (parcel: Json) => parcel.lines.reduce((sum: number, { quantity }: Json) => sum + quantity, 0)
  const holds = (parcel: Json) => parcel.lines.some((held: Json) => held.id === line && held.quantity >= quantity)
  const source = shown.deliveries.find(
    (parcel: Json) =>
      !returnParcels.has(parcel.id) && parcel.status === 'unfulfilled' && holds(parcel) && total(parcel) > quantity,
  )
  const taken = (parcel: Json) =>
    parcel.id === source?.id
      ? {
          ...parcel,
          lines: parcel.lines
            .map((held: Json) => (held.id === line ? { ...held, quantity: held.quantity - quantity } : held))
            .filter((held: Json) => held.quantity > 0),
        }
      : parcel
  const history = [...shown.history, entry(app, 'delivery', reply.id, null, 'unfulfilled')]
  effects.order = {
    lines: was.lines,
    shown: { ...shown, deliveries: [...shown.deliveries.map(taken), parcel], history },
  }
}

const returnOrder = ({ reply, body, app }: Write, was: OrderModel, effects: Effects, lookup: Lookup) => {
  if (!reply) return
  const { shown } = was
  const [given] = body.variants
  const lines = was.lines.map((line) => {
    if (line.id !== given.order_variant_id || !given.restock) return line
    const { out, sent, returned, restocked } = unitsOf(shown, line)
    const back = returned + given.quantity
    const again = restocked + given.quantity
    const kept = holdsStock(shown) ? line.quantity - again : Math.max(sent, back) - again
    const next = Math.min(out, Math.max(kept, out - given.quantity))
    addMove(effects, lookup, line.variant, out - next)
    return { ...line, taken: next + again }
  })
  const history = reply.delivery
    ? [...shown.history, entry(app, 'return', reply.id, null, 'unfulfilled')]
    : shown.history
  effects.order = { lines, shown: { ...shown, returns: [...shown.returns, returnShown(reply)], history } }
}

const refundOrder = ({ reply, app }: Write, was: OrderModel, effects: Effects) => {
  if (!reply) return
  const history = [...was.shown.history, entry(app, 'refund', reply.id, null, reply.status)]
  effects.order = {
    lines: was.lines,
    shown: { ...was.shown, refunds: [...was.shown.refunds, refundShown(reply)], history },
  }
}

const updateRefund = ({ path, body, app }: Write, was: OrderModel, effects: Effects) => {
  const id = path.split('/').at(-1) as string
  const before = was.shown.refunds.find((refund: Json) => refund.id === id)
  const refunds = was.shown.refunds.map((refund: Json) => (refund.id === id ? { ...refund, ...body } : refund))
  const note = before && body.status !== before.status
  const history = note
    ? [...was.shown.history, entry(app, 'refund', id, before.status, body.status)]
    : was.shown.history
  effects.order = { lines: was.lines, shown: { ...was.shown, refunds, history } }
}

/** The lines that changed something: the reply tells which. A stock that was set to what it was has no event. */
const updateStock = ({ body, reply }: Write, effects: Effects, { productOf }: Lookup) => {
  for (const [n, line] of body.stock.entries()) {
    const told = reply?.[n]
    if (told && (Object.keys(told.errors).length > 0 || told.quantity === told.previous_quantity)) continue
    const product = productOf(line.variant_id)
    if (!product) continue
    const move =
      line.delta === undefined
        ? { variant: line.variant_id, set: line.quantity }
        : { variant: line.variant_id, add: line.delta }
    effects.stock.set(product, [...(effects.stock.get(product) ?? []), move])
  }
}

/** Computed when the first event of a write is met: by then all that happened before to what it locks is known. */
export const effectsOf = (write: Write, lookup: Lookup): Effects => {
  const effects: Effects = { stock: new Map(), customers: new Map() }
  if (write.kind === 'createOrder') createOrder(write, effects, lookup)
  if (write.kind === 'updateStock') updateStock(write, effects, lookup)
  const was = write.resource === 'order' && write.id ? lookup.order(write.id) : undefined
  if (!was) return effects
  if (write.kind === 'updateOrder') updateOrder(write, was, effects, lookup)
  if (write.kind === 'deleteOrder') deleteOrder(was, effects, lookup)
  if (write.kind === 'updateDelivery') updateDelivery(write, was, effects)
  if (write.kind === 'splitDelivery') splitDelivery(write, was, effects)
  if (write.kind === 'returnOrder') returnOrder(write, was, effects, lookup)
  if (write.kind === 'refundOrder') refundOrder(write, was, effects)
  if (write.kind === 'updateRefund') updateRefund(write, was, effects)
  const { order } = effects
  if (order) order.shown = { ...order.shown, history: sortedHistory(order.shown.history) }
  return effects
}

/** A sum in thousandths as it is shown. */
export const added = (amount: number, more: number) => money(thousandths(amount) + more)
