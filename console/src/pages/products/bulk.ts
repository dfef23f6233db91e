import { type Product, pricesOf, unitsOf, variantsOf } from './labels.ts'

/** A change of many products. */
export type BulkChange =
  | { field: 'status'; value: Product['status'] }
  | { field: 'category'; value: { id: string; name: string } | null }
  | { field: 'price'; how: 'set' | 'percent' | 'amount'; value: number }
  | { field: 'stock'; how: 'set' | 'add'; value: number }

type Price = Extract<BulkChange, { field: 'price' }>

/** Money has three decimals at most. */
const newPrice = (before: number, { how, value }: Price) => {
  const after = how === 'set' ? value : how === 'percent' ? before * (1 + value / 100) : before + value
  return Math.round(after * 1000) / 1000
}

const priceLine = (product: Product, change: Price) => {
  const entries = variantsOf(product).flatMap(({ id, price }) => {
    const after = newPrice(price, change)
    return after === price ? [] : [{ id, price: after }]
  })
  if (entries.length === 0) return undefined
  return product.variants.length > 0 ? { variants: entries } : { default: { price: entries[0]?.price } }
}

const stockLine = (product: Product, { how, value }: Extract<BulkChange, { field: 'stock' }>) => {
  if (how === 'add' && value === 0) return undefined
  // Added to what is there then: an order may come in between.
  const stock = how === 'set' ? { quantity: value } : { quantity_delta: value }
  const rows = variantsOf(product).filter(({ quantity }) => how === 'add' || quantity !== value)
  if (rows.length === 0) return undefined
  return product.variants.length > 0 ? { variants: rows.map(({ id }) => ({ id, ...stock })) } : { default: stock }
}

/** The line of the bulk job for a product; undefined where nothing changes. */
export const bulkLine = (product: Product, change: BulkChange): object | undefined => {
  const { id } = product
  if (change.field === 'status') return product.status === change.value ? undefined : { id, status: change.value }
  if (change.field === 'category') {
    const to = change.value?.id ?? null
    return (product.category?.id ?? null) === to ? undefined : { id, category_id: to }
  }
  const line = change.field === 'price' ? priceLine(product, change) : stockLine(product, change)
  return line && { id, ...line }
}

const priceBefore = (product: Product, change: Price) => {
  const entries = variantsOf(product).filter(({ price }) => newPrice(price, change) !== price)
  if (entries.length === 0) return undefined
  return product.variants.length > 0
    ? { variants: entries.map(({ id, price }) => ({ id, price })) }
    : { default: { price: entries[0]?.price } }
}

const stockBefore = (product: Product, { how, value }: Extract<BulkChange, { field: 'stock' }>) => {
  // Taken back from what is there then: what was ordered meanwhile stays ordered.
  const entries = variantsOf(product).flatMap(({ id, quantity }) => {
    const quantity_delta = how === 'add' ? -value : quantity - value
    return quantity_delta === 0 ? [] : [{ id, quantity_delta }]
  })
  if (entries.length === 0) return undefined
  return product.variants.length > 0
    ? { variants: entries }
    : { default: { quantity_delta: entries[0]?.quantity_delta } }
}

/** The line that takes back what `bulkLine` changed in a product, which is as it was before. */
export const undoLine = (product: Product, change: BulkChange): object | undefined => {
  const { id } = product
  if (change.field === 'status') return { id, status: product.status }
  if (change.field === 'category') return { id, category_id: product.category?.id ?? null }
  const line = change.field === 'price' ? priceBefore(product, change) : stockBefore(product, change)
  return line && { id, ...line }
}

/** What a row shows before and after: lowest and highest price, or units in all. */
export const bulkNumbers = (
  product: Product,
  change: Extract<BulkChange, { field: 'price' | 'stock' }>,
): { before: readonly number[]; after: readonly number[] } => {
  if (change.field === 'price') {
    const before = pricesOf(product)
    return { before, after: before.map((price) => newPrice(price, change)) }
  }
  const count = variantsOf(product).length
  const before = unitsOf(product)
  return { before: [before], after: [change.how === 'set' ? change.value * count : before + change.value * count] }
}
