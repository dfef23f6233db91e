import { isEmail } from '../../core/input/email.ts'
import { percentOf, type Thousandths, thousandths } from '../../core/input/money.ts'
import type { ValidationErrors } from '../../errors.ts'
import type { NewOrder } from './order-input.ts'
import type { OrderStatus } from './schema.ts'

const MAX_MONEY: Thousandths = 99_999_999_999_999n

export interface Charges {
  lines: readonly { price: Thousandths; quantity: number }[]
  shipping_rate: number
  fee: number
  discount: number
  tip_type: string | null
  tip_value: number
}

export interface Totals {
  subtotal: Thousandths
  tip: Thousandths
  total: Thousandths
  quantity: number
}

/** A discount larger than the rest makes the total 0, not negative. */
export const orderTotals = ({ lines, shipping_rate, fee, discount, tip_type, tip_value }: Charges): Totals => {
  const subtotal = lines.reduce((sum, { price, quantity }) => sum + price * BigInt(quantity), 0n)
  const value = thousandths(tip_value)
  const tip = tip_type === 'percent' ? percentOf(subtotal, value) : tip_type === 'fixed' ? value : 0n
  const rest = subtotal + thousandths(shipping_rate) + thousandths(fee) + tip - thousandths(discount)
  const quantity = lines.reduce((sum, line) => sum + line.quantity, 0)
  return { subtotal, tip, total: rest > 0n ? rest : 0n, quantity }
}

export const checkTotals = ({ subtotal, tip, total }: Totals, errors: ValidationErrors) => {
  if ([subtotal, tip, total].some((amount) => amount > MAX_MONEY))
    errors.add('total', 'must not exceed 99999999999.999')
}

export const checkEmail = (email: string | undefined, errors: ValidationErrors) => {
  if (email && !isEmail(email)) errors.add('customer_email', 'must be an email address')
}

export const checkTip = ({ tip_type, tip_value }: NewOrder, errors: ValidationErrors) => {
  if (tip_value && !tip_type) errors.add('tip_type', 'is required with tip_value')
  if (tip_type === 'percent' && (tip_value ?? 0) > 100) errors.add('tip_value', 'must be at most 100 percent')
}

interface OrderState {
  status: OrderStatus
  is_cancelled: boolean
}

/** Abandoned and cancelled orders reserve no stock. */
export const holdsStock = ({ status, is_cancelled }: OrderState) => status !== 'abandoned' && !is_cancelled

/** What an order adds to its customer's `amount_spent`. */
export const amountSpent = (order: OrderState & { total: string }): Thousandths =>
  order.status === 'paid' && !order.is_cancelled ? thousandths(order.total) : 0n

// Without 0 O, 1 I L and U, which are easily confused on the phone.
const REF_LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const REF_LENGTH = 8

export const generateRef = (draw: (below: number) => number) =>
  Array.from({ length: REF_LENGTH }, () => REF_LETTERS[draw(REF_LETTERS.length)]).join('')

export const fullName = (first: string, last: string) => `${first} ${last}`.trim()
