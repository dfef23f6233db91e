import type { Faults } from '../errors.ts'

export interface AskedLine {
  order_variant_id: string
  quantity: number
}

/** Each line named once, of this order, and for no more units than are left of it. */
export const checkAsked = (
  asked: readonly AskedLine[],
  left: ReadonlyMap<string, number>,
  faults: Faults,
  tooMany: (left: number) => string,
) => {
  const seen = new Set<string>()
  for (const [index, { order_variant_id: id, quantity }] of asked.entries()) {
    const units = left.get(id)
    if (units === undefined) faults.add(`variants.${index}.order_variant_id`, 'must be a line of this order')
    else if (seen.has(id)) faults.add(`variants.${index}.order_variant_id`, 'must be listed once')
    else if (quantity > units) faults.add(`variants.${index}.quantity`, tooMany(units))
    seen.add(id)
  }
}

export const unitsOf = (left: number) => (left === 1 ? '1 unit is' : `${left} units are`)
