import { randomUUID } from 'node:crypto'
import { foldText } from '../../src/core/input/normalize-text.ts'
import { transact } from '../../src/core/storage/database.ts'
import { keepProductTexts } from '../../src/resources/products/text.ts'
import type { TestApi } from './api.ts'

interface ProductFixture {
  title?: string
  price?: number
  sku?: string | null
  quantity?: number
  is_digital?: boolean
  stock_tracked?: boolean
  allow_order_when_oos?: boolean
  /** Values of an option named Size; each becomes a variant. */
  sizes?: string[]
}

/** Inserts a product into the test store, without the API. */
export const addProduct = async ({ db, store }: Pick<TestApi, 'db' | 'store'>, goods: ProductFixture = {}) => {
  const { title = 'Mug', price = 10, sku = null, quantity = 100, sizes, ...flags } = goods
  const own = { store_id: store.id }
  const { id } = await db
    .insertInto('product')
    .values({ ...own, slug: randomUUID(), title, title_key: foldText(title), ...flags })
    .returning('id')
    .executeTakeFirstOrThrow()
  const variants: string[] = []
  const addVariant = async (name: string, choice: string, position: number) => {
    const variant = await db
      .insertInto('variant')
      .values({ ...own, product_id: id, title: name, price, sku, quantity, position, choice })
      .returning('id')
      .executeTakeFirstOrThrow()
    variants.push(variant.id)
    return variant.id
  }
  if (sizes) {
    const option = await db
      .insertInto('product_option')
      .values({ ...own, product_id: id, name: 'Size', position: 0 })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const [position, value] of sizes.entries()) {
      const chosen = await db
        .insertInto('option_value')
        .values({ ...own, product_id: id, option_id: option.id, value, position })
        .returning('id')
        .executeTakeFirstOrThrow()
      const variant_id = await addVariant(value, value, position)
      await db
        .insertInto('variant_value')
        .values({ ...own, product_id: id, variant_id, option_id: option.id, value_id: chosen.id })
        .execute()
    }
  } else await addVariant(title, '', 0)
  await transact(db, (db) => keepProductTexts(db, store.id, [id]))
  return { id, variants, variant: variants[0] as string }
}

export const stockOf = async ({ db, store }: TestApi, variant: string) => {
  const { quantity } = await db
    .selectFrom('variant')
    .select('quantity')
    .where('store_id', '=', store.id)
    .where('id', '=', variant)
    .executeTakeFirstOrThrow()
  return quantity
}

/** The body of a product with two options, and variants for two of their combinations. */
export const SHIRT = {
  title: 'Shirt',
  options: [
    {
      order: 1,
      name: 'Size',
      values: [
        { order: 1, value: 'S' },
        { order: 2, value: 'M' },
      ],
    },
    {
      order: 2,
      name: 'Colour',
      values: [
        { order: 1, value: 'Red' },
        { order: 2, value: 'Blue' },
      ],
    },
  ],
  variants: [
    {
      price: 20,
      compare_price: 25,
      sku: 'S-R',
      quantity: 3,
      values: [
        { order: 1, value: 'S' },
        { order: 2, value: 'Red' },
      ],
    },
    {
      price: 21.5,
      quantity: 0,
      values: [
        { order: 1, value: 'M' },
        { order: 2, value: 'Blue' },
      ],
    },
  ],
}
