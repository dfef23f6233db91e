import { thousandths } from '../../core/input/money.ts'
import { type JsonText, NULL, value } from '../../core/reading/json-text.ts'

/** Exact sums of counts and money. Money is in thousandths. */

const COUNTS = [
  'orders',
  'abandoned',
  'cancelled',
  'guests',
  'first_orders',
  'ordered_units',
  'paid',
  'units',
  'delivered',
  'unfulfilled',
  'fulfilled',
  'shipped',
  'returns',
] as const
const AMOUNTS = ['gross', 'refunds', 'delivered_amount'] as const
const MEASURES = [...COUNTS, ...AMOUNTS]

export type Count = (typeof COUNTS)[number]
export type Amount = (typeof AMOUNTS)[number]
export type Measure = Count | Amount
export type Sums = Record<Measure, bigint>

/** A row as PostgreSQL gives it: decimals as text, null for nothing. */
export type MeasureRow = Partial<Record<Measure, string | null>>

export const isAmount = (measure: Measure): measure is Amount => (AMOUNTS as readonly string[]).includes(measure)

export const readSums = (row: MeasureRow = {}): Sums => {
  const sums = {} as Sums
  for (const measure of MEASURES) {
    const text = row[measure]
    if (text === null || text === undefined) sums[measure] = 0n
    else sums[measure] = isAmount(measure) ? thousandths(text) : BigInt(text)
  }
  return sums
}

export const isZero = (sums: Sums) => MEASURES.every((measure) => sums[measure] === 0n)

export const addUp = (all: readonly Sums[]): Sums => {
  const sums = readSums()
  for (const one of all) for (const measure of MEASURES) sums[measure] += one[measure]
  return sums
}

/** Money as JSON text: `12.5`. */
export const money = (amount: bigint) => {
  const size = amount < 0n ? -amount : amount
  const fraction = String(size % 1000n)
    .padStart(3, '0')
    .replace(/(?<!0)0+$/, '')
  return `${amount < 0n ? '-' : ''}${size / 1000n}${fraction && `.${fraction}`}` as JsonText<number>
}

/** One part of many as JSON text, rounded to four digits; null of none. */
export const share = (part: bigint, whole: bigint) =>
  whole === 0n ? NULL : value(Number((part * 20_000n + whole) / (whole * 2n)) / 10_000)

/** Rounded half up to a thousandth; null of none. */
export const average = (amount: bigint, count: bigint) =>
  count === 0n ? NULL : money((amount * 2n + count) / (count * 2n))
