import type { CsvFormat } from './read.ts'

/** A cell that a spreadsheet would run as a formula gets an apostrophe before it, unless it is a plain number. */
const guarded = (text: string) => (/^\s*[=+\-@]/.test(text) && !/^[+-]?[\d.]+$/.test(text) ? `'${text}` : text)

export type Cell = string | number | boolean | null | undefined

/** Cells that need no quotes have none. */
const cellText = (cell: Cell) => {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'string' ? guarded(cell) : String(cell)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvRow = (cells: readonly Cell[]) => `${cells.map(cellText).join(',')}\r\n`

interface Variant {
  sku: string | null
  price: number
  compare_price: number
  quantity: number
  values: readonly { option_id: string; value: string }[]
}

/** What an export needs of a product as the API shows it. */
export interface ExportedProduct {
  id: string
  slug: string
  title: string
  description: string | null
  page_title: string | null
  meta_description: string | null
  status: string
  is_digital: boolean
  stock_tracked: boolean
  allow_order_when_oos: boolean
  category: { name: string } | null
  options: readonly { id: string; name: string; values: readonly { value: string }[] }[]
  variants: readonly Variant[]
  default: Variant | null
  properties: readonly { name: string; value: string }[]
}

export interface ExportedCustomer {
  name: string
  email: string
  phone: string | null
  address: string | null
  city: string | null
  postal_code: string | null
  country_id: string | null
  order_count: number
  amount_spent: number
  subscription_status: string
}

type Columns<Row> = readonly (readonly [string, (row: Row) => Cell])[]

/** Numbers of digits that would lose their zeros or their plus in a spreadsheet. */
const asText = (text: string | null) => (text && /^[+0]/.test(text) ? `'${text}` : text)

const firstOf = (name: string) => name.split(' ').slice(0, 1).join(' ')
const lastOf = (name: string) => name.split(' ').slice(1).join(' ')
const yesNo = (value: boolean) => (value ? 'yes' : 'no')

const CUSTOMER_COLUMNS: Readonly<Record<CsvFormat, Columns<ExportedCustomer>>> = {
  shopify: [
    ['First Name', ({ name }) => firstOf(name)],
    ['Last Name', ({ name }) => lastOf(name)],
    ['Email', ({ email }) => email],
    ['Accepts Email Marketing', ({ subscription_status }) => yesNo(subscription_status === 'subscribed')],
    ['Default Address Address1', ({ address }) => address],
    ['Default Address City', ({ city }) => city],
    ['Default Address Country Code', ({ country_id }) => country_id],
    ['Default Address Zip', ({ postal_code }) => asText(postal_code)],
    ['Phone', ({ phone }) => asText(phone)],
    ['Total Spent', ({ amount_spent }) => amount_spent],
    ['Total Orders', ({ order_count }) => order_count],
  ],
  woocommerce: [
    ['user_email', ({ email }) => email],
    ['first_name', ({ name }) => firstOf(name)],
    ['last_name', ({ name }) => lastOf(name)],
    ['billing_phone', ({ phone }) => asText(phone)],
    ['billing_address_1', ({ address }) => address],
    ['billing_city', ({ city }) => city],
    ['billing_postcode', ({ postal_code }) => asText(postal_code)],
    ['billing_country', ({ country_id }) => country_id],
  ],
  own: [
    ['email', ({ email }) => email],
    ['name', ({ name }) => name],
    ['phone', ({ phone }) => asText(phone)],
    ['address', ({ address }) => address],
    ['city', ({ city }) => city],
    ['postal_code', ({ postal_code }) => asText(postal_code)],
    ['country_id', ({ country_id }) => country_id],
    ['subscription_status', ({ subscription_status }) => subscription_status],
  ],
}

const variantsOf = ({ variants, default: single }: ExportedProduct) =>
  variants.length > 0 ? variants : single ? [single] : []

const textOf = (product: ExportedProduct, variant: Variant, index: number) => {
  const option = product.options[index]
  return option && variant.values.find(({ option_id }) => option_id === option.id)?.value
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index)
const price = ({ compare_price }: Variant) => (compare_price > 0 ? compare_price : null)
const propertyOf = ({ properties }: ExportedProduct, name: string) =>
  properties.find((property) => property.name === name)?.value

const SHOPIFY_HEADER = [
  ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Type', 'Tags', 'Published'],
  ...indexes(3).flatMap((n) => [`Option${n + 1} Name`, `Option${n + 1} Value`]),
  ...['Variant SKU', 'Variant Inventory Tracker', 'Variant Inventory Qty', 'Variant Inventory Policy', 'Variant Price'],
  ...['Variant Compare At Price', 'Variant Requires Shipping', 'SEO Title', 'SEO Description', 'Status'],
]

/** Shopify has three options at most: the third one takes those that follow. */
const shopifyOption = (product: ExportedProduct, variant: Variant, index: number): Cell[] => {
  if (product.options.length === 0) return index === 0 ? ['Title', 'Default Title'] : [null, null]
  const own = index === 2 ? indexes(product.options.length).slice(2) : [index]
  const names = own.map((n) => product.options[n]?.name).filter((name) => name !== undefined)
  const values = own.map((n) => textOf(product, variant, n)).filter((value) => value !== undefined)
  return [names.join(' / '), values.join(' / ')]
}

const shopifyRows = (product: ExportedProduct): Cell[][] =>
  variantsOf(product).map((variant, n) => {
    const once = (cell: Cell) => (n === 0 ? cell : null)
    return [
      product.slug,
      ...[product.title, product.description, propertyOf(product, 'Vendor'), product.category?.name].map(once),
      ...[propertyOf(product, 'Tags'), product.status === 'active'].map(once),
      ...indexes(3).flatMap((index) => {
        const [name, value] = shopifyOption(product, variant, index)
        return [once(name), value]
      }),
      variant.sku,
      product.stock_tracked ? 'shopify' : null,
      product.stock_tracked ? variant.quantity : null,
      product.allow_order_when_oos ? 'continue' : 'deny',
      variant.price,
      price(variant),
      !product.is_digital,
      ...[product.page_title, product.meta_description, product.status === 'active' ? 'active' : 'draft'].map(once),
    ]
  })

const MAX_ATTRIBUTES = 5
const WOOCOMMERCE_HEADER = [
  ...['ID', 'Type', 'SKU', 'Name', 'Published', 'Description', 'In stock?', 'Stock', 'Backorders allowed?'],
  ...['Sale price', 'Regular price', 'Categories', 'Tags', 'Parent'],
  ...indexes(MAX_ATTRIBUTES).flatMap((n) => [`Attribute ${n + 1} name`, `Attribute ${n + 1} value(s)`]),
]

/** In a list of values, a comma would begin the next one. */
const inList = (value: string) => value.replaceAll(',', ' ')

const wooStock = (product: ExportedProduct, variant: Variant): Cell[] => {
  const isReduced = variant.compare_price > variant.price
  return [
    product.stock_tracked ? (variant.quantity > 0 || product.allow_order_when_oos ? 1 : 0) : 1,
    product.stock_tracked ? variant.quantity : null,
    product.allow_order_when_oos ? 1 : 0,
    isReduced ? variant.price : null,
    isReduced ? variant.compare_price : variant.price,
  ]
}

const attributes = (cellsOf: (index: number) => Cell[]) => indexes(MAX_ATTRIBUTES).flatMap(cellsOf)

/** Products have no number: the place in the file is one. */
const wooCommerceRows = (product: ExportedProduct, id: number): Cell[][] => {
  const published = product.status === 'active' ? 1 : 0
  const head = (type: string, sku: Cell): Cell[] => [id, type, sku, product.title, published, product.description]
  const tail: Cell[] = [product.category && inList(product.category.name), propertyOf(product, 'Tags'), null]
  const [single] = variantsOf(product)
  if (product.variants.length === 0)
    return single
      ? [
          [
            ...head(product.is_digital ? 'simple, virtual' : 'simple', single.sku),
            ...wooStock(product, single),
            ...tail,
            ...attributes(() => [null, null]),
          ],
        ]
      : []
  const parent = [
    ...head('variable', null),
    ...[1, null, product.allow_order_when_oos ? 1 : 0, null, null],
    ...tail,
    ...attributes((index) => {
      const option = product.options[index]
      return option ? [option.name, option.values.map(({ value }) => inList(value)).join(', ')] : [null, null]
    }),
  ]
  const variations = product.variants.map((variant) => [
    ...[null, 'variation', variant.sku, product.title, published, null],
    ...wooStock(product, variant),
    ...[null, null, `id:${id}`],
    ...attributes((index) => {
      const value = textOf(product, variant, index)
      return value === undefined ? [null, null] : [product.options[index]?.name, inList(value)]
    }),
  ])
  return [parent, ...variations]
}

const MAX_OWN_OPTIONS = 5
const OWN_HEADER = [
  ...['slug', 'title', 'description', 'status', 'category', 'sku', 'price', 'compare_price', 'quantity'],
  ...['stock_tracked', 'allow_order_when_oos', 'is_digital', 'page_title', 'meta_description'],
  ...indexes(MAX_OWN_OPTIONS).flatMap((n) => [`option${n + 1}_name`, `option${n + 1}_value`]),
]

const ownRows = (product: ExportedProduct): Cell[][] =>
  variantsOf(product).map((variant, n) => {
    const once = (cell: Cell) => (n === 0 ? cell : null)
    return [
      product.slug,
      ...[product.title, product.description, product.status, product.category?.name].map(once),
      ...[variant.sku, variant.price, variant.compare_price, variant.quantity],
      ...[product.stock_tracked, product.allow_order_when_oos, product.is_digital].map(once),
      ...[product.page_title, product.meta_description].map(once),
      ...indexes(MAX_OWN_OPTIONS).flatMap((index) => [
        once(product.options[index]?.name),
        textOf(product, variant, index),
      ]),
    ]
  })

const PRODUCTS = {
  shopify: { header: SHOPIFY_HEADER, rows: shopifyRows },
  woocommerce: { header: WOOCOMMERCE_HEADER, rows: wooCommerceRows },
  own: { header: OWN_HEADER, rows: ownRows },
}

/** A writer of one file: the header, then the rows of each resource. */
export const productWriter = (format: CsvFormat) => {
  const { header, rows } = PRODUCTS[format]
  let written = 0
  return {
    header: csvRow(header),
    rows: (product: ExportedProduct) => rows(product, ++written).map(csvRow).join(''),
  }
}

export const customerWriter = (format: CsvFormat) => {
  const columns = CUSTOMER_COLUMNS[format]
  return {
    header: csvRow(columns.map(([name]) => name)),
    rows: (customer: ExportedCustomer) => csvRow(columns.map(([, cellOf]) => cellOf(customer))),
  }
}
