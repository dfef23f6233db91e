import { decimal } from '../core/input/money.ts'
import { derivedColumns } from '../resources/customers/derived-columns.ts'
import { amountSpent, fullName } from '../resources/orders/rules.ts'
import type { Person } from './names-and-places.ts'
import type { SaleWithOutcome } from './order-rows.ts'
import { DAY, HOUR, SeededRandom, seededId, TODAY } from './random.ts'
import { STORE } from './store.ts'

export const customerIdOf = ({ email }: Person) => seededId('customer', email, TODAY - 440 * DAY)

/** A few have given no more than their email. */
const fieldsOf = (person: Person, random: SeededRandom) => {
  const sparse = random.chance(0.06)
  const said = <T>(value: T) => (sparse ? null : value)
  return {
    email: person.email,
    name: sparse ? '' : fullName(person.first, person.last),
    phone: said(person.phone),
    address: said(person.address),
    city: said(person.city),
    postal_code: said(person.postal),
    country_id: said(person.country),
  }
}

const totalOf = (orders: SaleWithOutcome[]) =>
  orders.reduce(
    (sum, { sale, outcome }) =>
      sum +
      amountSpent({
        status: outcome.status,
        is_cancelled: outcome.cancelledAt !== null,
        total: decimal(sale.totals.total),
      }),
    0n,
  )

/** Buyers are created with their first order, the others at some other date. */
export const customerRows = (people: Person[], orders: SaleWithOutcome[]) => {
  const random = new SeededRandom('customers')
  return people.map((person) => {
    const own = orders.filter(({ sale }) => sale.known && sale.buyer.email === person.email)
    const signedUp = TODAY - random.between(5, 360) * DAY - random.below(24) * HOUR
    const [first, last] = [own[0]?.sale, own.at(-1)?.sale]
    const { country_id, ...fields } = fieldsOf(person, random)
    return {
      store_id: STORE.id,
      id: customerIdOf(person),
      ...fields,
      ...derivedColumns(fields),
      country_id,
      subscription_status: random.chance(0.6) ? 'subscribed' : 'not_subscribed',
      order_count: own.length,
      amount_spent: decimal(totalOf(own)),
      latest_order_id: last?.id ?? null,
      created_at: new Date(first?.at ?? signedUp),
      updated_at: new Date(last?.at ?? signedUp),
    }
  })
}
