import { createHash } from 'node:crypto'
import { MAX_INTEGER } from '../../core/input/schemas.ts'

/** Options, values and variants of a product, as stored and as a change leaves them. */

export interface OptionValue {
  id: string
  value: string
  order: number
}

export interface ProductOption {
  id: string
  name: string
  order: number
  values: OptionValue[]
}

export interface ProductVariant {
  id: string
  title: string
  price: number
  compare_price: number
  sku: string | null
  quantity: number
  /** Position among the variants. */
  place: number
  /** Digest of the values; empty for the only variant of a product without options. */
  choice: string
  /** Option id to value id. */
  values: Record<string, string>
  image: string | null
  file: string | null
}

export interface OptionsAndVariants {
  options: ProductOption[]
  variants: ProductVariant[]
}

export const NO_OPTIONS_OR_VARIANTS: OptionsAndVariants = { options: [], variants: [] }

export const sortByOrder = <T extends { id: string; order: number }>(items: Iterable<T>): T[] =>
  [...items].sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))

/** After the highest possible order, new items share it and are sorted by id. */
export const nextOrder = (items: Iterable<{ order: number }>) => {
  let last = -1
  for (const { order } of items) last = Math.max(last, order)
  return Math.min(last + 1, MAX_INTEGER)
}

/** Uses ids, so that renaming a value changes no choice. A digest, because 100 ids would not fit an index entry. */
export const choiceKey = (valueIds: readonly string[]) =>
  valueIds.length === 0
    ? ''
    : createHash('sha256')
        .update([...valueIds].sort().join())
        .digest('base64url')
        .slice(0, 22)
