import type { FeedEvent, History, Json, Write } from '../record.ts'
import { attribute } from './attribution.ts'
import { added, type Effects, effectsOf, type Lookup, type OrderModel } from './effects.ts'
import { differs, type ModelLine, shownState, thousandths, variantsOf } from './states.ts'

/** A resource between two of its events. */
export interface Version {
  position: number
  /** Undefined once it is deleted. */
  state: Json
  /** When the write that made it began and was acknowledged. */
  start: number
  end: number
  etag: string | undefined
  write: Write | undefined
}

export type Versions = Map<string, Version[]>

/** The operator makes the domain of a store, and nobody is told of webhooks but their app. */
export const isWritten = ({ resource: { kind } }: Pick<FeedEvent, 'resource'>) =>
  kind !== 'domain' && kind !== 'webhook'

/** Nobody wrote it in this run, or nothing but its final state is known. */
const UNKNOWN = Symbol('unknown')

/** Replays the feed through a plain model, and compares each reply with the state at the position of its write. */
export const replay = (history: History, report: (name: string, detail: string) => void): Versions => {
  const versions: Versions = new Map()
  const orders = new Map<string, OrderModel>()
  const productOfVariant = new Map<string, string>()
  const untracked = new Set<string>()
  const emails = new Map<string, string>()
  const effects = new Map<Write, Effects>()
  const bulkMarks = new Map<string, string>()

  const current = (name: string) => versions.get(name)?.at(-1)?.state
  const lookup: Lookup = {
    order: (id) => orders.get(id),
    customerByEmail: (email) => emails.get(email),
    productOf: (variant) => productOfVariant.get(variant),
    isTracked: (variant) => !untracked.has(variant),
  }
  const effectsFor = (write: Write) => {
    const known = effects.get(write) ?? effectsOf(write, lookup)
    effects.set(write, known)
    return known
  }
  const isZero = (product: string, moves: { variant: string; add?: number; set?: number }[]) =>
    moves.every(({ variant, add, set }) => {
      const before = current(`product:${product}`)?.variants?.find(({ id }: Json) => id === variant)?.quantity
      return add === undefined ? before === set : add === 0
    })

  const expects = (write: Write, name: string, event: FeedEvent): boolean => {
    const [kind, id] = name.split(':') as [string, string]
    if (write.kind === 'bulkCustomers') return kind === 'customer' && event.type === 'customer.created'
    if (kind !== 'product' && kind !== 'customer') return false
    if (kind === 'product') return effectsFor(write).stock.has(id) && !isZero(id, effectsFor(write).stock.get(id) ?? [])
    const { customers } = effectsFor(write)
    return customers.has(id) || customers.has(undefined)
  }
  const attribution = attribute(history.writes, expects)

  const compare = (write: Write, kind: string, reply: Json, expected: Json, position: number) => {
    const difference = differs(shownState(kind, reply), expected)
    if (difference)
      report('a reply differs from the model', `${write.kind} ${write.path} at ${position}: ${difference}`)
  }

  const push = (event: FeedEvent, write: Write | undefined, state: Json) => {
    const name = `${event.resource.kind}:${event.resource.id}`
    const list = versions.get(name) ?? []
    list.push({
      position: event.position,
      state,
      start: write?.start ?? 0,
      end: write?.outcome === 'ok' ? write.end : Number.POSITIVE_INFINITY,
      etag: write && write.id === event.resource.id ? write.etag : undefined,
      write,
    })
    versions.set(name, list)
  }

  /** What is told of the state before, compared with the model. */
  const checkPrevious = ({ previous, position, type }: FeedEvent, state: Json) => {
    if (!state || state === UNKNOWN) return
    for (const [field, before] of Object.entries(previous)) {
      const [part, id, column] = field.split('.') as [string, string?, string?]
      const known =
        part === 'variants'
          ? state.variants?.find((variant: Json) => variant.id === id)?.[column as string]
          : state[part]
      if (known === undefined || part === 'deliveries' || part === 'refunds') continue
      const value = typeof known === 'number' ? Number(before) : before
      if (differs(value, known))
        report(
          part === 'variants' ? 'stock was lost or doubled' : 'an event tells another previous state',
          `${type} at ${position}: ${field} was ${JSON.stringify(before)}, the model has ${JSON.stringify(known)}`,
        )
    }
  }

  const newOrder = (write: Write, shown: Json, position: number): OrderModel => {
    const takes = shown.status !== 'abandoned' && !shown.is_cancelled
    const lines: ModelLine[] = shown.lines.map((line: Json, n: number) => {
      const variant = write.body.variants[n].variant_id
      return { ...line, variant, taken: takes && lookup.isTracked(variant) ? line.quantity : 0 }
    })
    const subtotal = shown.lines.reduce(
      (sum: number, { price, quantity }: Json) => sum + thousandths(price) * quantity,
      0,
    )
    const tip =
      write.body.tip_type === 'percent' ? Math.floor((subtotal * write.body.tip_value * 1000 + 50_000) / 100_000) : 0
    const rest =
      subtotal + thousandths(shown.shipping_rate) + thousandths(shown.fee) + tip - thousandths(shown.discount)
    if (thousandths(shown.subtotal) !== subtotal || thousandths(shown.total) !== Math.max(0, rest))
      report('money does not add up', `order at ${position}: ${shown.total} instead of ${Math.max(0, rest) / 1000}`)
    if (shown.currency !== history.currency)
      report('orders in another currency than the store', `order at ${position}: ${shown.currency}`)
    return { shown, lines }
  }

  const checkRefunds = ({ status, total, refunds }: Json, position: number) => {
    const refunded = refunds.reduce((sum: number, { amount }: Json) => sum + thousandths(amount), 0)
    if (refunded > (status === 'paid' ? thousandths(total) : 0))
      report('more was refunded than was paid', `order at ${position}: ${refunded / 1000} of ${total} (${status})`)
  }

  const applyOrder = (event: FeedEvent, write: Write, isMain: boolean) => {
    const { id } = event.resource
    if (event.type === 'order.deleted') {
      effectsFor(write)
      orders.delete(id)
      return undefined
    }
    if (event.type === 'order.created') {
      const body = write.reply ?? history.final[`order:${id}`]
      if (!body) return UNKNOWN
      const model = newOrder(write, shownState('order', body), event.position)
      orders.set(id, model)
      return model.shown
    }
    const next = isMain ? effectsFor(write).order : orders.get(id)
    if (!next) return UNKNOWN
    if (!isMain) {
      orders.delete(id)
      return UNKNOWN
    }
    orders.set(id, next)
    if (write.kind === 'refundOrder') checkRefunds(next.shown, event.position)
    if (write.kind === 'updateOrder' && write.reply) compare(write, 'order', write.reply, next.shown, event.position)
    return next.shown
  }

  const applyProduct = (event: FeedEvent, write: Write, isMain: boolean) => {
    const name = `product:${event.resource.id}`
    if (event.type === 'product.deleted') return undefined
    if (event.type === 'product.created') {
      const body = write.reply ?? history.final[name]
      if (!body) return UNKNOWN
      for (const { id } of variantsOf(body)) productOfVariant.set(id, event.resource.id)
      if (body.stock_tracked === false) for (const { id } of variantsOf(body)) untracked.add(id)
      return shownState('product', body)
    }
    const before = current(name)
    if (!before || before === UNKNOWN) return UNKNOWN
    if (isMain) {
      const next = { ...before, ...write.body }
      // Stock changes without the product's lock: check.ts compares it with what was visible meanwhile.
      const { variants } = write.reply ? shownState('product', write.reply) : next
      if (write.reply)
        compare(
          write,
          'product',
          { ...write.reply, default: null, variants: [] },
          { ...next, variants: [] },
          event.position,
        )
      if (variants.length !== next.variants.length)
        report('a reply differs from the model', `${write.path}: ${variants.length} variants`)
      return next
    }
    const moves = effectsFor(write).stock.get(event.resource.id) ?? []
    const variants = before.variants.map((variant: Json) => {
      const own = moves.filter((move) => move.variant === variant.id)
      const quantity = own.reduce((sum, move) => ('set' in move ? move.set : sum + move.add), variant.quantity)
      if (quantity < 0 && quantity < variant.quantity && !before.allow_order_when_oos)
        report('stock below zero', `${name} at ${event.position}: ${quantity}`)
      return { ...variant, quantity }
    })
    return { ...before, variants }
  }

  const applyCustomer = (event: FeedEvent, write: Write, isMain: boolean) => {
    const name = `customer:${event.resource.id}`
    const change = isMain
      ? undefined
      : (effectsFor(write).customers.get(event.resource.id) ?? effectsFor(write).customers.get(undefined))
    if (event.type === 'customer.created') {
      const body = history.final[name]
      const spent = change?.spent ?? 0
      const empty = { name: '', phone: null, address: null, city: null, subscription_status: 'not_subscribed' }
      const given = isMain
        ? write.body
        : (change?.from ?? (body && { name: body.name, email: body.email, address: undefined }))
      if (write.kind === 'bulkCustomers') {
        const email = body?.email as string | undefined
        const mark = email?.split('@')[0] ?? ''
        if (bulkMarks.has(mark)) report('a write happened twice', `bulk line ${mark} at ${event.position}`)
        bulkMarks.set(mark, event.resource.id)
        return body ? shownState('customer', body) : UNKNOWN
      }
      const state = {
        ...empty,
        ...given,
        order_count: change?.orders ?? 0,
        amount_spent: Number.isNaN(spent) ? 0 : spent / 1000,
      }
      if (emails.has(state.email) && current(`customer:${emails.get(state.email)}`))
        report('two customers have one email', `${state.email} at ${event.position}`)
      emails.set(state.email, event.resource.id)
      if (isMain && write.reply) compare(write, 'customer', write.reply, state, event.position)
      return Number.isNaN(spent) ? UNKNOWN : state
    }
    const before = current(name)
    if (!before || before === UNKNOWN) return UNKNOWN
    if (isMain) {
      const next = { ...before, ...write.body }
      if (write.reply) compare(write, 'customer', write.reply, next, event.position)
      return next
    }
    if (!change || Number.isNaN(change.spent)) return UNKNOWN
    return {
      ...before,
      order_count: before.order_count + change.orders,
      amount_spent: added(before.amount_spent, change.spent),
    }
  }

  const names = new Map<string, string>()
  const checkCategory = (id: string, state: Json, position: number) => {
    const other = names.get(state.name)
    if (other && other !== id && current(`category:${other}`)?.name === state.name)
      report('two categories have one name', `${state.name} at ${position}`)
    names.set(state.name, id)
  }

  const applyPlain = (event: FeedEvent, write: Write, isMain: boolean) => {
    const { kind, id } = event.resource
    const name = `${kind}:${id}`
    if (event.type.endsWith('.deleted')) return undefined
    if (event.type.endsWith('.created')) {
      const body = write.reply ?? history.final[name]
      if (!body) return UNKNOWN
      const state = shownState(kind, body)
      if (kind === 'category') checkCategory(id, state, event.position)
      const wrong = Object.entries(write.body).find(([field, value]) => field in state && differs(state[field], value))
      if (write.reply && wrong)
        report('a reply differs from the model', `${write.path}: ${wrong[0]} is ${JSON.stringify(state[wrong[0]])}`)
      return state
    }
    const before = current(name)
    if (!before || before === UNKNOWN || !isMain || write.kind !== 'updatePlain') return UNKNOWN
    const next = { ...before, ...write.body }
    if (kind === 'category') checkCategory(id, next, event.position)
    if (write.reply) compare(write, kind, write.reply, next, event.position)
    return next
  }

  const applies: Record<string, typeof applyPlain> = {
    order: applyOrder,
    product: applyProduct,
    customer: applyCustomer,
  }

  /** A write with If-Match must directly follow the version that it names. */
  const checkVersion = (event: FeedEvent, write: Write, isMain: boolean) => {
    if (!isMain || !write.ifMatch || write.outcome !== 'ok') return
    const list = versions.get(`${event.resource.kind}:${event.resource.id}`) ?? []
    const named = list.findIndex(({ write: by }) => by?.n === write.ifMatch?.from)
    if (named >= 0 && named < list.length - 1)
      report(
        'If-Match was not compared',
        `${write.kind} ${write.path} at ${event.position} follows ${list.length - 1 - named} newer versions`,
      )
  }

  /** Replies of POST /stock tell the stock before and after. */
  const checkStockReply = (event: FeedEvent, write: Write) => {
    if (write.kind !== 'updateStock' || !write.reply) return
    const before = current(`product:${event.resource.id}`)
    for (const line of write.reply) {
      const known = before?.variants?.find(({ id }: Json) => id === line.variant_id)
      if (line.product_id !== event.resource.id || !known || Object.keys(line.errors).length > 0) continue
      if (line.previous_quantity !== known.quantity)
        report(
          'stock was lost or doubled',
          `${write.path} at ${event.position}: told ${line.previous_quantity} before, the model has ${known.quantity}`,
        )
    }
  }

  for (const event of history.feed) {
    if (!isWritten(event)) continue
    const claim = attribution.claim(event)
    if ('name' in claim) {
      const about = claim.write ? `${claim.write.kind} ${claim.write.path} (${claim.write.status})` : ''
      report(claim.name, `${event.type} ${event.resource.id} at ${event.position}: ${event.changed.join()} ${about}`)
      push(event, undefined, UNKNOWN)
      continue
    }
    const { write, isMain } = claim
    const name = `${event.resource.kind}:${event.resource.id}`
    checkPrevious(event, current(name))
    checkVersion(event, write, isMain)
    checkStockReply(event, write)
    push(event, write, (applies[event.resource.kind] ?? applyPlain)(event, write, isMain))
  }

  for (const write of attribution.missing())
    report('an acknowledged write is missing', `${write.kind} ${write.path} (${write.status}) of ${write.app}`)
  for (const write of history.writes)
    if (write.outcome === 'ok' && !write.isDryRun && attribution.happened(write))
      for (const [product, moves] of effects.get(write)?.stock ?? [])
        if (
          !versions.get(`product:${product}`)?.some(({ write: by }) => by === write) &&
          moves.some((move) => 'add' in move && move.add !== 0)
        )
          report('stock was lost or doubled', `${write.kind} ${write.path} did not move the stock of ${product}`)
  for (const { kind, body, outcome, reply } of history.writes)
    if (kind === 'bulkCustomers' && outcome === 'ok')
      for (const mark of body as string[]) {
        const isRefused = reply?.failed.includes(mark) ?? false
        if (bulkMarks.has(mark) === isRefused)
          report(isRefused ? 'a refused write happened' : 'an acknowledged write is missing', `bulk line ${mark}`)
      }
  return versions
}

export const isUnknownState = (state: Json) => state === UNKNOWN
