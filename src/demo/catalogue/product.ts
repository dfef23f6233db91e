import type * as home from '../drawings/home.ts'
import type { PaletteName } from '../drawings/scene.ts'
import type * as table from '../drawings/table.ts'

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

type Drawing = Exclude<keyof typeof home | keyof typeof table, 'steam'>

/** A product as the shopkeeper would note it down; the rows follow from this. */
export interface DemoProduct {
  title: string
  description: string
  language: Language
  /** Uncategorised when missing. */
  category?: (typeof categories)[number]
  drawing: Drawing
  /** Of the first picture. */
  colours: PaletteName
  sku: string
  /** In dinars. */
  price: number
  comparePrice?: number
  /** In stock, of each variant; some variants get less. */
  quantity: number
  /** Name of an option to its values; the first option is the slowest to change. */
  options?: Record<string, readonly string[]>
  /** The option whose values have pictures of their own, and their colours. */
  pictured?: { option: string; colours: readonly PaletteName[] }
  properties: readonly (readonly [name: string, value: string])[]
  inactive?: boolean
  untracked?: boolean
  orderWhenOutOfStock?: boolean
  /** The file a buyer receives; one for each variant. */
  downloads?: readonly ('pdf' | 'wav')[]
  video?: boolean
}
