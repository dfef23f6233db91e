import { expect, test } from 'vitest'
import { ValidationErrors } from '../../errors.ts'
import { checkLines, unitsText } from './check-lines.ts'
import type { NewOrder } from './order-input.ts'
import {
  amountSpent,
  type Charges,
  checkEmail,
  checkTip,
  checkTotals,
  fullName,
  generateRef,
  holdsStock,
  orderTotals,
  type Totals,
} from './rules.ts'

const errorsOf = (check: (errors: ValidationErrors) => void) => {
  const errors = new ValidationErrors()
  check(errors)
  return errors.fields
}

const NOTHING: Charges = { lines: [], shipping_rate: 0, fee: 0, discount: 0, tip_type: null, tip_value: 0 }
const LINES = [
  { price: 10_500n, quantity: 2 },
  { price: 999n, quantity: 3 },
]

test('the total is the lines, shipping, fee and tip, less the discount', () => {
  const charges = { lines: LINES, shipping_rate: 7.25, fee: 0.1, discount: 3.005, tip_type: 'fixed', tip_value: 1.5 }
  expect(orderTotals(charges)).toEqual({ subtotal: 23_997n, tip: 1_500n, total: 29_842n, quantity: 5 })
  expect(orderTotals(NOTHING)).toEqual({ subtotal: 0n, tip: 0n, total: 0n, quantity: 0 })
})

test('a tip is a share of the subtotal, an amount, or nothing', () => {
  const tipOf = (tip_type: string | null) => orderTotals({ ...NOTHING, lines: LINES, tip_type, tip_value: 10 }).tip
  expect(tipOf('percent')).toBe(2_400n)
  expect(tipOf('fixed')).toBe(10_000n)
  expect(tipOf(null)).toBe(0n)
})

test('a discount larger than the rest makes the total zero, not negative', () => {
  const totalWith = (discount: number) => orderTotals({ ...NOTHING, lines: LINES, discount }).total
  expect([23.996, 23.997, 23.998, 500].map(totalWith)).toEqual([1n, 0n, 0n, 0n])
})

test('no amount of an order exceeds what is stored', () => {
  const most = 99_999_999_999_999n
  const fits: Totals = { subtotal: most, tip: most, total: most, quantity: 1 }
  const check = (totals: Totals) => errorsOf((errors) => checkTotals(totals, errors))
  expect(check(fits)).toEqual({})
  for (const amount of ['subtotal', 'tip', 'total'])
    expect(check({ ...fits, [amount]: most + 1n })).toEqual({ total: ['must not exceed 99999999999.999'] })
})

test('an email address is checked if there is one', () => {
  const check = (email: string | undefined) => errorsOf((errors) => checkEmail(email, errors))
  expect(check(undefined)).toEqual({})
  expect(check('')).toEqual({})
  expect(check('amel@shop.example')).toEqual({})
  expect(check('amel@')).toEqual({ customer_email: ['must be an email address'] })
})

test('a tip needs its type, and is at most the whole subtotal', () => {
  const check = (tip: Partial<NewOrder>) => errorsOf((errors) => checkTip(tip as NewOrder, errors))
  expect(check({})).toEqual({})
  expect(check({ tip_value: 5 })).toEqual({ tip_type: ['is required with tip_value'] })
  expect(check({ tip_value: 0 })).toEqual({})
  expect(check({ tip_type: 'percent' })).toEqual({})
  expect(check({ tip_type: 'percent', tip_value: 100 })).toEqual({})
  expect(check({ tip_type: 'percent', tip_value: 100.001 })).toEqual({ tip_value: ['must be at most 100 percent'] })
  expect(check({ tip_type: 'fixed', tip_value: 500 })).toEqual({})
})

test('abandoned and cancelled orders hold no stock, and only paid ones count as spent', () => {
  const states = (['pending', 'paid', 'abandoned'] as const).flatMap((status) =>
    [false, true].map((is_cancelled) => ({ status, is_cancelled, total: '12.345' })),
  )
  expect(states.map(holdsStock)).toEqual([true, false, true, false, false, false])
  expect(states.map(amountSpent)).toEqual([0n, 0n, 12_345n, 0n, 0n, 0n])
})

test('a reference has eight letters that are not confused on the phone', () => {
  const limits: number[] = []
  let at = 0
  const ref = () =>
    generateRef((below) => {
      limits.push(below)
      return at++ % below
    })
  const seen = [ref(), ref(), ref(), ref()]
  expect(seen).toEqual(['23456789', 'ABCDEFGH', 'JKMNPQRS', 'TVWXYZ23'])
  expect(new Set(limits)).toEqual(new Set([30]))
})

test('a name without its first or last part has no space around it', () => {
  expect(fullName('Amel', 'Trabelsi')).toBe('Amel Trabelsi')
  expect(fullName('', 'Trabelsi')).toBe('Trabelsi')
  expect(fullName('Amel', '')).toBe('Amel')
})

test('a line must be of the order, listed once, and have enough units left', () => {
  const left = new Map([
    ['a', 2],
    ['b', 0],
  ])
  const check = (...lines: [string, number][]) => {
    const requested = lines.map(([order_variant_id, quantity]) => ({ order_variant_id, quantity }))
    return errorsOf((errors) => checkLines(requested, left, errors, (units) => `only ${unitsText(units)} left`))
  }
  expect(check(['a', 2])).toEqual({})
  expect(check(['a', 3], ['b', 1])).toEqual({
    'variants.0.quantity': ['only 2 units are left'],
    'variants.1.quantity': ['only 0 units are left'],
  })
  expect(check(['a', 1], ['a', 1])).toEqual({ 'variants.1.order_variant_id': ['must be listed once'] })
  const elsewhere = { 'variants.0.order_variant_id': ['must be a line of this order'] }
  expect(check(['c', 1])).toEqual(elsewhere)
  expect(check(['c', 1], ['c', 1])).toEqual({
    ...elsewhere,
    'variants.1.order_variant_id': ['must be a line of this order'],
  })
  expect([0, 1, 2].map(unitsText)).toEqual(['0 units are', '1 unit is', '2 units are'])
})
