import type { Product } from '../../../../client/src/index.ts'
import type { Tone } from '../../components/Badge.tsx'

export type { Product }
export type Variant = Product['variants'][number]

export const STATUS_TONES: Record<Product['status'], Tone> = { active: 'good', inactive: 'plain' }

/** All variants: also the only one of a product without options. */
export const variantsOf = ({ variants, default: single }: Product): readonly Variant[] =>
  variants.length > 0 ? variants : single ? [single] : []

export const unitsOf = (product: Product) => variantsOf(product).reduce((sum, { quantity }) => sum + quantity, 0)

export const pricesOf = (product: Product): readonly [lowest: number, highest: number] => {
  const prices = variantsOf(product).map(({ price }) => price)
  return prices.length > 0 ? [Math.min(...prices), Math.max(...prices)] : [0, 0]
}
