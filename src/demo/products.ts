import { decimal, type Thousandths, thousandths } from '../core/input/money.ts'
import { slugify } from '../core/input/normalize-text.ts'
import { choiceKey } from '../resources/products/options-and-variants.ts'
import { searchColumns, titleKey } from '../resources/products/search-words.ts'
import { coffeeAndTable } from './catalogue/coffee-and-table.ts'
import { downloads } from './catalogue/downloads.ts'
import { home } from './catalogue/home.ts'
import { kitchen } from './catalogue/kitchen.ts'
import type { DemoProduct } from './catalogue/product.ts'
import { DAY, HOUR, SeededRandom, seededId, TODAY } from './random.ts'
import { categoryRows, STORE } from './store.ts'

const MINOR_STEP = 0.15

interface Choice {
  option: string
  optionId: string
  value: string
  valueId: string
  /** Place among the values of its option. */
  place: number
}

/** One thing that can be bought. */
export interface Variant {
  id: string
  choices: Choice[]
  title: string
  price: Thousandths
  comparePrice: Thousandths
  sku: string
  quantity: number
}

/** A product of the catalogue with its ids, its prices and its stock. */
export interface Product {
  id: string
  slug: string
  at: number
  note: DemoProduct
  variants: Variant[]
}

const optionsOf = (note: DemoProduct) => Object.entries(note.options ?? {})

/** Every combination of values, the last option changing fastest. */
const combine = (note: DemoProduct, at: number): Choice[][] =>
  optionsOf(note).reduce<Choice[][]>(
    (combined, [option, values]) =>
      combined.flatMap((choices) =>
        values
          .map((value, place) => ({
            option,
            optionId: seededId('option', `${note.sku} ${option}`, at),
            value,
            valueId: seededId('value', `${note.sku} ${option} ${value}`, at),
            place,
          }))
          .map((choice) => [...choices, choice]),
      ),
    [[]],
  )

/** Larger sizes cost more; colours do not. */
const factor = (note: DemoProduct, choices: Choice[]) =>
  choices.reduce((sum, { option, place }) => (option === note.pictured ? sum : sum + place * MINOR_STEP), 1)

const toHalfDinar = (dinars: number) => Math.round(dinars * 2) / 2

const priceOf = (note: DemoProduct, dinars: number, choices: Choice[]) => {
  const times = factor(note, choices)
  return thousandths(times === 1 ? dinars : toHalfDinar(dinars * times))
}

const skuOf = (note: DemoProduct, choices: Choice[]) =>
  [note.sku, ...choices.map(({ place }) => String(place + 1))].join('-')

const stockOf = (note: DemoProduct, variants: number, random: SeededRandom) => {
  if (note.quantity === 0) return 0
  if (variants > 1 && random.chance(0.15)) return 0
  return variants > 1 ? random.between(1, note.quantity) : note.quantity
}

const makeProduct = (note: DemoProduct, index: number, random: SeededRandom): Product => {
  const at = TODAY - 450 * DAY + index * 31 * HOUR
  const combined = combine(note, at)
  const variants = combined.map((choices) => ({
    id: seededId('variant', skuOf(note, choices), at),
    choices,
    title: choices.map(({ value }) => value).join(' / ') || note.title,
    price: priceOf(note, note.price, choices),
    comparePrice: priceOf(note, note.comparePrice ?? 0, choices),
    sku: skuOf(note, choices),
    quantity: stockOf(note, combined.length, random),
  }))
  return { id: seededId('product', note.sku, at), slug: slugify(note.title), at, note, variants }
}

export const makeProducts = (): Product[] => {
  const random = new SeededRandom('stock')
  return [...coffeeAndTable, ...kitchen, ...home, ...downloads].map((note, index) => makeProduct(note, index, random))
}

const firstSentence = (text: string) => text.split(/(?<=[.:!؟])\s/, 1)[0] as string

const productRow = ({ id, slug, at, note }: Product, index: number) => {
  const category = categoryRows.find(({ name }) => name === note.category)
  const described = { title: note.title, slug, description: note.description }
  // Some fields are left empty, as in a real store.
  const filled = index % 5 !== 4
  return {
    store_id: STORE.id,
    id,
    ...described,
    title_key: titleKey(note.title),
    ...searchColumns(STORE.id, described),
    page_title: filled ? `${note.title} | ${STORE.name}` : null,
    meta_description: filled ? firstSentence(note.description) : null,
    is_digital: note.downloads !== undefined,
    status: note.inactive ? 'inactive' : 'active',
    stock_tracked: !note.untracked,
    allow_order_when_oos: note.orderWhenOutOfStock ?? false,
    category_id: category?.id ?? null,
    category_key: category?.name_key ?? null,
    created_at: new Date(at),
    updated_at: new Date(at + index * DAY),
  }
}

const optionRows = ({ id: product_id, note, at }: Product) =>
  optionsOf(note).map(([name], position) => ({
    store_id: STORE.id,
    id: seededId('option', `${note.sku} ${name}`, at),
    product_id,
    name,
    position,
  }))

const valueRows = ({ id: product_id, note, at }: Product) =>
  optionsOf(note).flatMap(([name, values]) =>
    values.map((value, position) => ({
      store_id: STORE.id,
      id: seededId('value', `${note.sku} ${name} ${value}`, at),
      product_id,
      option_id: seededId('option', `${note.sku} ${name}`, at),
      value,
      position,
    })),
  )

const variantRows = ({ id: product_id, at, variants }: Product) =>
  variants.map(({ id, title, price, comparePrice, sku, quantity, choices }, position) => ({
    store_id: STORE.id,
    id,
    product_id,
    title,
    price: decimal(price),
    compare_price: decimal(comparePrice),
    sku,
    quantity,
    position,
    choice: choiceKey(choices.map(({ valueId }) => valueId)),
    created_at: new Date(at),
    updated_at: new Date(at),
  }))

const variantValueRows = ({ id: product_id, variants }: Product) =>
  variants.flatMap(({ id: variant_id, choices }) =>
    choices.map(({ optionId, valueId }) => ({
      store_id: STORE.id,
      product_id,
      variant_id,
      option_id: optionId,
      value_id: valueId,
    })),
  )

const propertyRows = ({ id: product_id, note, at }: Product) =>
  note.properties.map(([name, value], position) => ({
    store_id: STORE.id,
    id: seededId('property', `${note.sku} ${name}`, at),
    product_id,
    name,
    value,
    position,
  }))

export const catalogueRows = (products: Product[]) => ({
  product: products.map(productRow),
  product_option: products.flatMap(optionRows),
  option_value: products.flatMap(valueRows),
  variant: products.flatMap(variantRows),
  variant_value: products.flatMap(variantValueRows),
  product_property: products.flatMap(propertyRows),
})
