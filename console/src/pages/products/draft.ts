import type { Product } from '../../../../client/src/index.ts'

/** What is being edited: texts as they are typed, in the shape of the page. */

export const CELLS = ['sku', 'price', 'compare_price', 'quantity'] as const
export type Cell = (typeof CELLS)[number]
/** As typed. */
export type VariantCells = Record<Cell, string>

export interface Picture {
  id: string
  alt: string
  name: string
  src: string
}

/** What the buyer of a digital product downloads. */
export interface DigitalFile {
  id: string
  name: string
}

export interface OptionValue {
  /** Its id, or a key of this page for a new one. */
  key: string
  value: string
}

export interface Option {
  key: string
  name: string
  values: readonly OptionValue[]
}

export interface Variant extends VariantCells {
  /** Its id, or a key of this page for a new one. */
  key: string
  /** Keys of its option values, in the sequence of the options. */
  values: readonly string[]
  image: Picture | null
  file: DigitalFile | null
}

export interface Attribute {
  key: string
  name: string
  value: string
}

export interface Draft {
  title: string
  description: string
  status: Product['status']
  category_id: string
  slug: string
  page_title: string
  meta_description: string
  is_digital: boolean
  stock_tracked: boolean
  allow_order_when_oos: boolean
  images: readonly Picture[]
  videos: readonly Picture[]
  attributes: readonly Attribute[]
  options: readonly Option[]
  /** Exactly one, without values, for a product without options. */
  variants: readonly Variant[]
}

type File = Product['images'][number]

export const newKey = () => `new-${crypto.randomUUID()}`
export const isNew = ({ key }: { key: string }) => key.startsWith('new-')

export const pictureOf = ({ id, alt, name, thumbnail, url }: File): Picture => ({
  id,
  alt,
  name,
  src: thumbnail ?? url,
})

const emptyVariant = (): Variant => ({
  key: newKey(),
  values: [],
  price: '',
  compare_price: '',
  sku: '',
  quantity: '',
  image: null,
  file: null,
})

export const emptyDraft = (): Draft => ({
  title: '',
  description: '',
  status: 'active',
  category_id: '',
  slug: '',
  page_title: '',
  meta_description: '',
  is_digital: false,
  stock_tracked: true,
  allow_order_when_oos: false,
  images: [],
  videos: [],
  attributes: [],
  options: [],
  variants: [emptyVariant()],
})

const variantOf = (variant: Product['variants'][number], optionIds: readonly string[]): Variant => {
  const chosen = new Map(variant.values.map(({ option_id, id }) => [option_id, id]))
  return {
    key: variant.id,
    values: optionIds.map((id) => chosen.get(id) ?? ''),
    price: String(variant.price),
    compare_price: variant.compare_price === 0 ? '' : String(variant.compare_price),
    sku: variant.sku ?? '',
    quantity: String(variant.quantity),
    image: variant.image && pictureOf(variant.image),
    file: variant.file && { id: variant.file.id, name: variant.file.name },
  }
}

export const draftOf = (product: Product): Draft => {
  const optionIds = product.options.map(({ id }) => id)
  const rows = product.variants.length > 0 ? product.variants : product.default ? [product.default] : []
  return {
    title: product.title,
    description: product.description ?? '',
    status: product.status,
    category_id: product.category?.id ?? '',
    slug: product.slug,
    page_title: product.page_title ?? '',
    meta_description: product.meta_description ?? '',
    is_digital: product.is_digital,
    stock_tracked: product.stock_tracked,
    allow_order_when_oos: product.allow_order_when_oos,
    images: product.images.map(pictureOf),
    videos: product.ugc_videos.map(pictureOf),
    attributes: product.properties.map(({ id, name, value }) => ({ key: id, name, value })),
    options: product.options.map(({ id, name, values }) => ({
      key: id,
      name,
      values: values.map(({ id, value }) => ({ key: id, value })),
    })),
    variants: rows.map((variant) => variantOf(variant, optionIds)),
  }
}

/** A copy to be saved as another product: nothing of it has an id. */
export const copyOf = (draft: Draft, title: string): Draft => {
  const keys = new Map(draft.options.flatMap(({ values }) => values.map(({ key }) => [key, newKey()])))
  return {
    ...draft,
    title,
    slug: '',
    status: 'inactive',
    options: draft.options.map(({ name, values }) => ({
      key: newKey(),
      name,
      values: values.map(({ key, value }) => ({ key: keys.get(key) as string, value })),
    })),
    variants: draft.variants.map((variant) => ({
      ...variant,
      key: newKey(),
      sku: '',
      values: variant.values.map((key) => keys.get(key) ?? key),
    })),
  }
}
