import type { ValidationErrors } from '../../errors.ts'

interface RequestedLine {
  order_variant_id: string
  quantity: number
}

/** Checks that each line belongs to the order, is listed once, and has enough units left. */
export const checkLines = (
  requested: readonly RequestedLine[],
  left: ReadonlyMap<string, number>,
  errors: ValidationErrors,
  tooMany: (left: number) => string,
) => {
  const seen = new Set<string>()
  for (const [index, { order_variant_id: id, quantity }] of requested.entries()) {
    const units = left.get(id)
    if (units === undefined) errors.add(`variants.${index}.order_variant_id`, 'must be a line of this order')
    else if (seen.has(id)) errors.add(`variants.${index}.order_variant_id`, 'must be listed once')
    else if (quantity > units) errors.add(`variants.${index}.quantity`, tooMany(units))
    seen.add(id)
  }
}

export const unitsText = (left: number) => (left === 1 ? '1 unit is' : `${left} units are`)
