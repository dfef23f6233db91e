/** The signals of orders from scratch, from what the API shows of them: nothing of the code that keeps signals is used. */

export interface ShownOrder {
  id: string
  status: string
  created_at: string
  is_cancelled: boolean
  is_archived: boolean
  customer_phone: string
  customer_address: string
  customer_id: string | null
  quantity: number
  variants: { title: string }[]
  deliveries: { id: string; status: string }[]
  returns: { delivery: { id: string; status: string } | null }[]
  signals: object
}

/** What random histories write as phone numbers, and the numbers that these are in Tunisia. */
export const PHONES = ['20123456', '+216 98 765 432', '', 'no number'] as const
const NUMBERS: Record<string, string> = { '20123456': '+21620123456', '+216 98 765 432': '+21698765432' }

export const numberOf = ({ customer_phone }: ShownOrder) => NUMBERS[customer_phone] ?? null

const HOURS_48 = 48 * 3_600_000

export const outcomeOf = (order: ShownOrder) => {
  const sent = order.deliveries.map(({ status }) => status)
  const back = order.returns.flatMap(({ delivery }) => delivery?.status ?? [])
  if (order.status === 'abandoned') return 'abandoned'
  if (back.some((status) => status !== 'cancelled')) return 'returned'
  if (sent.includes('delivered')) return 'delivered'
  if (order.is_cancelled || order.is_archived) return 'closed'
  if (sent.every((status) => status === 'cancelled') && (sent.length > 0 || order.status === 'paid')) return 'closed'
  return 'open'
}

const placed = ({ created_at, id }: ShownOrder) => `${created_at} ${id}`

/** How many orders a number has, and what became of them. */
export const recountPhone = (phone: string, orders: readonly ShownOrder[]) => {
  const own = orders.filter((order) => numberOf(order) === phone)
  const outcomes = own.map(outcomeOf)
  const latest = own.toSorted((one, other) => (placed(one) < placed(other) ? 1 : -1)).slice(0, 20)
  const count = (outcome: string) => outcomes.filter((other) => other === outcome).length
  return {
    phone,
    orders: outcomes.length - count('abandoned'),
    delivered: count('delivered'),
    returned: count('returned'),
    open: count('open'),
    latest_orders: latest.map((order) => ({ id: order.id, outcome: outcomeOf(order) })),
    elsewhere: null,
  }
}

/** The earliest open order of the same number or customer within 48 hours that has a product in common. */
const twinOf = (order: ShownOrder, orders: readonly ShownOrder[]) => {
  const phone = numberOf(order)
  const titles = order.variants.map(({ title }) => title)
  const isSamePerson = (other: ShownOrder) =>
    phone === null
      ? numberOf(other) === null && other.customer_id !== null && other.customer_id === order.customer_id
      : numberOf(other) === phone
  return orders
    .filter(
      (other) =>
        other.id !== order.id &&
        outcomeOf(order) === 'open' &&
        outcomeOf(other) === 'open' &&
        isSamePerson(other) &&
        Math.abs(Date.parse(other.created_at) - Date.parse(order.created_at)) <= HOURS_48 &&
        other.variants.some(({ title }) => titles.includes(title)),
    )
    .toSorted((one, other) => (placed(one) < placed(other) ? -1 : 1))[0]
}

const reasonsOf = (order: ShownOrder, delivered: number, returned: number, isDuplicate: boolean) => {
  const share = delivered / (delivered + returned)
  const history = share < 0.5 ? 'mostly_returned' : share < 0.75 ? 'often_returned' : 'delivered_before'
  return [
    ...(delivered + returned < 3 ? [] : [history]),
    ...(order.customer_phone !== '' && numberOf(order) === null ? ['invalid_phone'] : []),
    ...(isDuplicate ? ['duplicate'] : []),
    ...(order.deliveries.length > 0 && order.customer_address.trim().length < 10 ? ['short_address'] : []),
    ...(order.quantity > 10 ? ['unusual_quantity'] : []),
  ]
}

export const levelOf = (reasons: readonly string[]) => {
  const has = (...codes: string[]) => codes.some((code) => reasons.includes(code))
  if (has('mostly_returned', 'invalid_phone')) return 'bad'
  if (has('often_returned', 'duplicate', 'short_address', 'unusual_quantity')) return 'careful'
  return has('delivered_before') ? 'good' : 'unknown'
}

/** The signals that an order must have among all orders of its store, with the usual thresholds. */
export const recountSignals = (order: ShownOrder, orders: readonly ShownOrder[]) => {
  const phone = numberOf(order)
  const same = orders.filter((other) => phone !== null && numberOf(other) === phone && outcomeOf(other) !== 'abandoned')
  const count = (outcome: string) => same.filter((other) => outcomeOf(other) === outcome).length
  const twin = twinOf(order, orders)
  const reasons = reasonsOf(order, count('delivered'), count('returned'), twin !== undefined)
  return {
    phone,
    duplicate_of: twin && placed(twin) < placed(order) ? twin.id : null,
    phone_orders: same.length,
    phone_delivered: count('delivered'),
    phone_returned: count('returned'),
    phone_open: count('open'),
    first_order: phone === null ? null : !same.some((other) => placed(other) < placed(order)),
    level: levelOf(reasons),
    reasons,
  }
}

/** What the API shows of a phone number, with ids and outcomes of its orders. */
export const shownPhone = (phone: { latest_orders: { id: string; outcome: string }[] }) => ({
  ...phone,
  latest_orders: phone.latest_orders.map(({ id, outcome }) => ({ id, outcome })),
})

/** The signals that the API shows, with the codes of the reasons. */
export const shownSignals = ({ signals }: ShownOrder) => {
  const { reasons, ...rest } = signals as { reasons: { code: string }[] }
  return { ...rest, reasons: reasons.map(({ code }) => code) }
}
