import { parseNumber } from '../../../../src/core/input/parse-number.ts'
import type { Order } from './labels.ts'

const round = (amount: number) => Math.round(amount * 1000) / 1000

/** A number as typed; undefined if it is none. */
export const numberOf = (text: string) => {
  const value = text.trim() === '' ? '' : parseNumber(text)
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The API says what is wrong with a text that is no number. */
export const numeric = (text: string) => (numberOf(text) ?? text.trim()) as number

export interface Charges {
  shipping_rate: number
  fee: number
  discount: number
  tip_type: Order['tip_type']
  tip_value: number
}

/** What the service will compute from these lines. */
export const previewTotals = (lines: readonly { quantity: string; price: string }[], charges: Charges) => {
  const subtotal = round(
    lines.reduce((sum, { quantity, price }) => sum + (numberOf(quantity) ?? 0) * (numberOf(price) ?? 0), 0),
  )
  const { shipping_rate, fee, discount, tip_type, tip_value } = charges
  const tip = tip_type === 'percent' ? round((subtotal * tip_value) / 100) : tip_type === 'fixed' ? tip_value : 0
  return { subtotal, total: Math.max(0, round(subtotal + shipping_rate + fee + tip - discount)) }
}
