import { groupBy } from '../../core/reading/group-by.ts'
import { firstHole, hole, holes } from '../../core/reading/holes.ts'
import { withFields } from '../../core/reading/json-parts.ts'
import {
  array,
  type Fields,
  type JsonText,
  NULL,
  object,
  quoted,
  seconds,
  time,
  value,
} from '../../core/reading/json-text.ts'
import { type KeptIn, type Kind, rowKind, storeTexts } from '../../core/reading/texts.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { COMMA, identifier, joinSql, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type FileUrls, permanentUrl } from '../files/file-urls.ts'
import type { Option, Product, Variant } from './schema.ts'

export interface ProductRow {
  id: string
  slug: string
  title: string
  description: string | null
  page_title: string | null
  meta_description: string | null
  is_digital: boolean
  status: string
  stock_tracked: boolean
  allow_order_when_oos: boolean
  created_at: string
  updated_at: string
  category_id: string | null
}

interface VariantRow {
  id: string
  product_id: string
  title: string
  price: JsonText<number>
  compare_price: JsonText<number>
  sku: string | null
  choice: string
  created_at: string
}

interface OptionRow {
  id: string
  product_id: string
  name: string
  position: number
}

interface ValueRow {
  id: string
  option_id: string
  value: string
  position: number
}

interface ChoiceRow {
  variant_id: string
  option_id: string
  value_id: string
}

interface PropertyRow {
  id: string
  product_id: string
  name: string
  value: string
}

interface LinkRow {
  /** A product or a variant. */
  owner: string
  role: string
  file_id: string
}

/** All rows of some products, each kind in display order. */
interface Rows {
  products: ProductRow[]
  variants: VariantRow[]
  options: OptionRow[]
  values: ValueRow[]
  choices: ChoiceRow[]
  properties: PropertyRow[]
  links: LinkRow[]
}

const OWN = sqlText`store_id = $1 and product_id = any($2)`

const rows = (name: keyof Rows, select: Sql) =>
  sqlText`(select coalesce(json_agg(r), '[]') from (${select}) r) as ${identifier(name)}`

/** One round trip. Decimals are exact, and times are formatted. */
const READ = sqlText`select ${joinSql(
  [
    rows(
      'products',
      sqlText`select id, slug, title, description, page_title, meta_description, is_digital, status, stock_tracked,
      allow_order_when_oos, iso(created_at) as created_at, iso(updated_at) as updated_at, category_id
    from product where store_id = $1 and id = any($2)`,
    ),
    rows(
      'variants',
      sqlText`select id, product_id, title, trim_scale(price)::text as price, trim_scale(compare_price)::text as compare_price,
      sku, choice, iso(created_at) as created_at
    from variant where ${OWN} order by position, id`,
    ),
    rows(
      'options',
      sqlText`select id, product_id, name, position from product_option where ${OWN} order by position, id`,
    ),
    rows('values', sqlText`select id, option_id, value, position from option_value where ${OWN} order by position, id`),
    rows('choices', sqlText`select variant_id, option_id, value_id from variant_value where ${OWN}`),
    rows(
      'properties',
      sqlText`select id, product_id, name, value from product_property where ${OWN} order by position, id`,
    ),
    rows(
      'links',
      sqlText`select product_id as owner, role, file_id, position, id from file_link where ${OWN}
    union all
    select variant_id, role, file_id, position, id from file_link
    where store_id = $1
      and variant_id = any(array(select v.id from variant v where v.store_id = $1 and v.product_id = any($2)))
    order by position, id`,
    ),
  ],
  COMMA,
)}`

/** Stock and `updated_at` are a hole: orders change them without locking the product. */
const variantTexts = ({ variants, options, values, choices, links }: Rows) => {
  const optionOf = new Map(options.map((option, place) => [option.id, { ...option, place }]))
  const valueWith = new Map(values.map((entry) => [entry.id, entry]))
  const choicesOf = groupBy(choices, ({ variant_id }) => variant_id)
  const linksOf = groupBy(links, ({ owner }) => owner)
  const fileOf = (variant: string, role: string) =>
    hole('file', linksOf(variant).find((link) => link.role === role)?.file_id ?? null)
  const place = ({ option_id }: ChoiceRow) => optionOf.get(option_id)?.place ?? 0
  const valuesOf = (variant: VariantRow) =>
    variant.choice === ''
      ? []
      : choicesOf(variant.id)
          .toSorted((one, other) => place(one) - place(other))
          .map(({ option_id, value_id }) =>
            object<Variant['values'][number]>({
              id: value(value_id),
              option_id: value(option_id),
              order: value(optionOf.get(option_id)?.position ?? 0),
              value: value(valueWith.get(value_id)?.value ?? ''),
            }),
          )
  return new Map(
    variants.map((variant) => [
      variant.id,
      object<Variant>({
        id: value(variant.id),
        product_id: value(variant.product_id),
        title: value(variant.title),
        price: variant.price,
        compare_price: variant.compare_price,
        sku: value(variant.sku),
        quantity: hole('stock', variant.id),
        image: fileOf(variant.id, 'variant_image'),
        file: fileOf(variant.id, 'digital_product'),
        values: array(valuesOf(variant)),
        created_at: value(variant.created_at),
        updated_at: hole('stock', `${variant.id}/updated_at`),
      }),
    ]),
  )
}

/** The fields of a product's own row. */
const ownFields = (product: ProductRow) =>
  ({
    id: value(product.id),
    slug: value(product.slug),
    title: value(product.title),
    description: value(product.description),
    page_title: value(product.page_title),
    meta_description: value(product.meta_description),
    is_digital: value(product.is_digital),
    status: value(product.status),
    stock_tracked: value(product.stock_tracked),
    allow_order_when_oos: value(product.allow_order_when_oos),
    created_at: value(product.created_at),
    updated_at: value(product.updated_at),
  }) satisfies Partial<Fields<Product>>

/** The text after a change of the product's own row only. A change of its title or category also changes parts. */
export const replaceOwnFields = (text: JsonText<Product>, product: ProductRow): JsonText<Product> =>
  withFields<Product, keyof ReturnType<typeof ownFields>>(text, ownFields(product))

const productTexts = (read: Rows) => {
  const shown = variantTexts(read)
  const variantsOf = groupBy(read.variants, ({ product_id }) => product_id)
  const optionsOf = groupBy(read.options, ({ product_id }) => product_id)
  const valuesOf = groupBy(read.values, ({ option_id }) => option_id)
  const propertiesOf = groupBy(read.properties, ({ product_id }) => product_id)
  const linksOf = groupBy(read.links, ({ owner }) => owner)
  const filesOf = (product: string, role: string) =>
    linksOf(product).flatMap((link) => (link.role === role ? [link.file_id] : []))
  const option = ({ id, name, position }: OptionRow) =>
    object<Option>({
      id: value(id),
      name: value(name),
      order: value(position),
      values: array(
        valuesOf(id).map((one) =>
          object<Option['values'][number]>({ id: value(one.id), value: value(one.value), order: value(one.position) }),
        ),
      ),
    })
  const property = ({ id, name, value: text }: PropertyRow) =>
    object<Product['properties'][number]>({ id: value(id), name: value(name), value: value(text) })
  return new Map(
    read.products.map((product) => {
      const { id } = product
      const images = filesOf(id, 'product_images')
      const variants = variantsOf(id)
      const textOf = (variant: VariantRow) => shown.get(variant.id) as JsonText<Variant>
      const text = object<Product>({
        ...ownFields(product),
        image: firstHole('file', images),
        images: array([holes('file', images)]),
        ugc_videos: array([holes('file', filesOf(id, 'ugc_video'))]),
        options: array(optionsOf(id).map(option)),
        variants: array(variants.filter(({ choice }) => choice !== '').map(textOf)),
        category: hole('category', product.category_id),
        default: variants[0] ? textOf(variants[0]) : NULL,
        properties: array(propertiesOf(id).map(property)),
      })
      return [id, text]
    }),
  )
}

const readRows = async (db: Db, store: StoreId, products: readonly string[]): Promise<Rows> =>
  (await runSql<Rows>(db, READ, [store, products]))[0] as Rows

const PRODUCT_TEXT = {
  table: 'product_text',
  of: 'product',
  fillings: {
    stock: ({ ids }) => ({ where: sqlText`product_id = any(${ids})` }),
    file: ({ store, ids }) => ({
      ids: sqlText`select l.file_id from ${t.file_link} l where l.store_id = ${store} and l.product_id = any(${ids})
        union all
        select l.file_id from ${t.file_link} l where l.store_id = ${store} and l.variant_id = any(array(
          select v.id from ${t.variant} v where v.store_id = ${store} and v.product_id = any(${ids})))`,
    }),
    category: ({ store, ids }) => ({
      ids: sqlText`select p.category_id from ${t.product} p where p.store_id = ${store} and p.id = any(${ids})`,
    }),
  },
} satisfies KeptIn
const VARIANT_TEXT = {
  table: 'variant_text',
  of: 'variant',
  fillings: {
    stock: ({ ids }) => ({ where: sqlText`id = any(${ids})` }),
    file: ({ store, ids }) => ({
      ids: sqlText`select l.file_id from ${t.file_link} l where l.store_id = ${store} and l.variant_id = any(${ids})`,
    }),
  },
} satisfies KeptIn

/** The last step of every write to a product, whose lock the caller holds: keeps its text and those of its variants. */
export const keepProductTexts = async (db: Tx, store: StoreId, ids: string[]) => {
  const read = await readRows(db, store, ids)
  await keepTextsOf(db, store, read)
}

const keepTextsOf = async (db: Tx, store: StoreId, read: Rows) => {
  await storeTexts(db, PRODUCT_TEXT, store, productTexts(read))
  await storeTexts(db, VARIANT_TEXT, store, variantTexts(read))
}

/** All rows of one product. */
interface ProductRows extends Omit<Rows, 'products'> {
  product: ProductRow
}

export const readProductRows = async (db: Tx, store: StoreId, id: string): Promise<ProductRows> => {
  const { products, ...parts } = await readRows(db, store, [id])
  return { product: products[0] as ProductRow, ...parts }
}

/** The text of a product, with holes. */
export const productText = ({ product, ...parts }: ProductRows): JsonText<Product> =>
  productTexts({ products: [product], ...parts }).get(product.id) as JsonText<Product>

/** The text of a product as it is now, with holes. */
export const readProductText = async (db: Tx, store: StoreId, id: string): Promise<JsonText<Product>> => {
  const statement = sqlText`select text from ${t.product_text} where store_id = $1 and id = $2`
  const [kept] = await runSql<{ text: JsonText<Product> }>(db, statement, [store, id])
  return kept?.text ?? productText(await readProductRows(db, store, id))
}

export const keepProductText = (db: Tx, store: StoreId, id: string, text: string) =>
  storeTexts(db, PRODUCT_TEXT, store, new Map([[id, text]]))

export const keepVariantTexts = (db: Tx, store: StoreId, { product, ...parts }: ProductRows) =>
  storeTexts(db, VARIANT_TEXT, store, variantTexts({ products: [product], ...parts }))

export const productKind: Kind<unknown> = {
  kept: PRODUCT_TEXT,
  keep: keepProductTexts,
  render: async (db, store, ids) => productTexts(await readRows(db, store, ids)),
}

const productsOf = async (db: Db, store: StoreId, variants: string[]) => {
  const text = sqlText`select distinct product_id from ${t.variant} where store_id = $1 and id = any($2)`
  const rows = await runSql<{ product_id: string }>(db, text, [store, variants])
  return rows.map(({ product_id }) => product_id)
}

/** Kept in addition to the product's text, because an order shows single variants. */
export const variantKind: Kind<unknown> = {
  kept: VARIANT_TEXT,
  within: { kind: 'product', find: productsOf },
  render: async (db, store, ids) => {
    const texts = variantTexts(await readRows(db, store, await productsOf(db, store, ids)))
    const requested = new Set(ids)
    return new Map([...texts].filter(([id]) => requested.has(id)))
  },
}

/** What orders change in a variant: its stock and `updated_at`. */
export const stockKind = rowKind<unknown>({
  table: 'variant',
  columns: { id: sqlText`id`, quantity: sqlText`quantity`, updated_at: seconds(sqlText`updated_at`) },
  texts: ({ id, quantity, updated_at }: { id: string; quantity: string; updated_at: string }) => [
    [id, quantity],
    [`${id}/updated_at`, time(updated_at)],
  ],
})

interface ImageRow {
  id: string
  file_id: string
}

/** The permanent URL of the first image of a product or variant. */
export const imageUrlKind = rowKind<FileUrls>({
  table: 'file_link',
  columns: sqlText`id, file_id`,
  select: ({ store, ids }) => sqlText`
    select l.variant_id as id, l.file_id from ${t.file_link} l
    where l.store_id = ${store} and l.role = 'variant_image' and l.variant_id = any(${ids})
    union all
    (select distinct on (l.product_id) l.product_id, l.file_id from ${t.file_link} l
    where l.store_id = ${store} and l.role = 'product_images' and l.product_id = any(${ids})
    order by l.product_id, l.position, l.id)`,
  texts: ({ id, file_id }: ImageRow, store, urls) => [[id, quoted(permanentUrl(urls, store, file_id))]],
})
