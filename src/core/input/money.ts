/** Money as an integer number of thousandths, so that sums are exact. */
export type Thousandths = bigint

/** Accepts a number with at most three decimals, or a decimal as PostgreSQL writes it. */
export const thousandths = (amount: number | string): Thousandths => {
  const [whole = '0', fraction = ''] = (typeof amount === 'number' ? amount.toFixed(3) : amount).split('.')
  const sign = whole.startsWith('-') ? -1n : 1n
  return BigInt(whole) * 1000n + sign * BigInt(fraction.padEnd(3, '0'))
}

export const decimal = (amount: Thousandths): string => {
  const size = amount < 0n ? -amount : amount
  return `${amount < 0n ? '-' : ''}${size / 1000n}.${String(size % 1000n).padStart(3, '0')}`
}

/** Rounded half up to a thousandth. */
export const percentOf = (amount: Thousandths, percentage: Thousandths): Thousandths =>
  (amount * percentage + 50_000n) / 100_000n
