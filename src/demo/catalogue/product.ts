export type Language = 'en' | 'fr' | 'ar'

export const categories = [
  'Café & thé',
  'Tableware',
  'Cookware',
  'Lighting',
  'Textiles',
  'ديكور المنزل',
  'Épicerie fine',
  'Books & music',
] as const

/** A product of the catalogue. Its rows are generated from this; its files are in the folder `media`. */
export interface DemoProduct {
  title: string
  description: string
  language: Language
  /** Uncategorised when missing. */
  category?: (typeof categories)[number]
  sku: string
  /** In dinars. */
  price: number
  comparePrice?: number
  /** In stock, of each variant; some variants get less. */
  quantity: number
  /** Name of an option to its values; the first option is the slowest to change. */
  options?: Record<string, readonly string[]>
  /** The option whose values have pictures of their own. */
  pictured?: string
  properties: readonly (readonly [name: string, value: string])[]
  inactive?: boolean
  untracked?: boolean
  orderWhenOutOfStock?: boolean
  /** The file a buyer receives; one for each variant. */
  downloads?: readonly ('pdf' | 'wav')[]
}
