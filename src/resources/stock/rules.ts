import type { FieldErrors, ValidationErrors } from '../../errors.ts'
import type { Line } from './queries.ts'
import type { StockChange } from './schema.ts'

const keyField = ({ variant_id }: StockChange) => (variant_id === undefined ? 'sku' : 'variant_id')

/** The errors of a line that was not applied. */
export const errorsOf = (change: StockChange, { problem, before }: Line): FieldErrors => {
  const key = keyField(change)
  const field = change.delta === undefined ? 'quantity' : 'delta'
  switch (problem) {
    case null:
      return {}
    case 'unknown':
      return { [key]: [key === 'sku' ? 'must be the SKU of a variant' : 'must be the id of a variant'] }
    case 'ambiguous':
      return { sku: ['belongs to several variants: use variant_id'] }
    case 'repeated':
      return { [key]: ['is the variant of an earlier line'] }
    case 'too_large':
      return { [field]: ['would make the quantity too large'] }
    case 'short':
      return { delta: [`would take more than the ${before} in stock`] }
  }
}

/** Adds an error for each line that does not name one variant and one change. */
export const checkStockChanges = (changes: readonly StockChange[], errors: ValidationErrors) => {
  const seen = new Set<string>()
  for (const [n, change] of changes.entries()) {
    const { variant_id, sku, quantity, delta } = change
    const at = (field: string) => `stock.${n}.${field}`
    if (variant_id === undefined && sku === undefined) errors.add(at('variant_id'), 'or sku is required')
    if (variant_id !== undefined && sku !== undefined) errors.add(at('sku'), 'cannot be given together with variant_id')
    if (quantity === undefined && delta === undefined) errors.add(at('quantity'), 'or delta is required')
    if (quantity !== undefined && delta !== undefined) errors.add(at('delta'), 'cannot be given together with quantity')
    const key = JSON.stringify([variant_id, sku])
    if (seen.has(key)) errors.add(at(keyField(change)), 'is given twice')
    seen.add(key)
  }
}
