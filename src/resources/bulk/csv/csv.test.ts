import { expect, test } from 'vitest'
import { UnclosedQuote } from './parse.ts'
import { asNumberedLines, type CsvFormat, type CsvResource, detectFormat, readCsv, UnknownColumns } from './read.ts'
import { customerWriter, type ExportedProduct, productWriter } from './write.ts'

async function* pieces(text: string, size = 7) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const collect = async <T>(rows: AsyncIterable<T>) => {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

const read = async (text: string, options: Partial<Parameters<typeof readCsv>[1]> & { resource: CsvResource }) =>
  collect(readCsv(pieces(text), options))

const variant = (sku: string, size: string, quantity = 3) => ({
  sku,
  price: 45.5,
  compare_price: 59,
  quantity,
  values: [
    { option_id: 'size', value: size },
    { option_id: 'colour', value: 'White' },
  ],
})

const shirt: ExportedProduct = {
  id: '1',
  slug: 'shirt',
  title: '=Shirt, "linen"',
  description: '<p>Cool;\nsoft</p>',
  page_title: 'Shirt',
  meta_description: null,
  status: 'active',
  is_digital: false,
  stock_tracked: true,
  allow_order_when_oos: false,
  category: { name: 'Shirts' },
  options: [
    { id: 'size', name: 'Size', values: [{ value: 'S' }, { value: 'L' }] },
    { id: 'colour', name: 'Colour', values: [{ value: 'White' }] },
  ],
  variants: [variant('S-1', 'S'), variant('S-2', 'L', 0)],
  default: null,
  properties: [],
}

const mug: ExportedProduct = {
  ...shirt,
  slug: 'mug',
  title: 'Mug',
  description: null,
  status: 'inactive',
  allow_order_when_oos: true,
  category: null,
  options: [],
  variants: [],
  default: { ...variant('MUG', ''), values: [] },
}

test.each(['shopify', 'woocommerce', 'own'] as const)('an export as %s is recognized and read back', async (format) => {
  const { header, rows } = productWriter(format)
  const text = header + rows(shirt) + rows(mug)
  expect(detectFormat('product', header.trim().split(','))).toBe(format)
  const lines = await read(text, { resource: 'product' })
  expect(lines.map(({ row }) => row)).toEqual(format === 'woocommerce' ? [2, 5] : [2, 4])
  const [first, second] = lines.map(({ fields }) => fields)
  expect(first).toMatchObject({
    title: '=Shirt, "linen"',
    description: '<p>Cool;\nsoft</p>',
    status: 'active',
    category: 'Shirts',
    stock_tracked: true,
    options: [
      { name: 'Size', values: [{ value: 'S' }, { value: 'L' }] },
      { name: 'Colour', values: [{ value: 'White' }] },
    ],
    variants: [
      { sku: 'S-1', price: '45.5', compare_price: '59', quantity: '3', values: [{ value: 'S' }, { value: 'White' }] },
      { sku: 'S-2', quantity: '0', values: [{ value: 'L' }, { value: 'White' }] },
    ],
  })
  expect(second).toMatchObject({
    title: 'Mug',
    status: 'inactive',
    sku: 'MUG',
    price: '45.5',
    allow_order_when_oos: true,
  })
  expect(second).not.toHaveProperty('options')
})

const customer = {
  name: 'Olfa Ben Salah',
  email: 'olfa@shop.example',
  phone: '+216 20 111 222',
  address: '3, rue de Rome',
  city: 'Tunis',
  postal_code: '0100',
  country_id: 'TN',
  order_count: 2,
  amount_spent: 80,
  subscription_status: 'subscribed',
}

test.each(['shopify', 'woocommerce', 'own'] as const)(
  'customers as %s are recognized and read back',
  async (format) => {
    const { header, rows } = customerWriter(format)
    expect(detectFormat('customer', header.trim().split(','))).toBe(format)
    const [line] = await read(header + rows(customer), { resource: 'customer' })
    const { order_count: _, amount_spent: __, subscription_status, ...plain } = customer
    expect(line?.fields).toMatchObject(format === 'woocommerce' ? plain : { ...plain, subscription_status })
  },
)

test('semicolons, blank rows and quoted line ends do not change the number of a row', async () => {
  const text = '\uFEFFsku;title;price\r\nA;"one\r\ntwo";1\r\n;;\r\n\r\nB;Two;2\r\n'
  const lines = await read(text, { resource: 'product' })
  expect(lines.map(({ row, fields }) => [row, fields.sku])).toEqual([
    [2, 'A'],
    [5, 'B'],
  ])
  const ndjson = (await collect(asNumberedLines(rowsOf(lines)))).join('').split('\n')
  expect(JSON.parse(ndjson[1] ?? '')).toMatchObject({ sku: 'A' })
  expect(JSON.parse(ndjson[4] ?? '')).toMatchObject({ sku: 'B' })
})

async function* rowsOf<T>(rows: readonly T[]) {
  yield* rows
}

test('columns can be named by hand, and those without a name are left out', async () => {
  const text = 'Référence,Prix TTC,Notes\nA-1,12,x\n'
  await expect(read(text, { resource: 'product' })).rejects.toThrow(UnknownColumns)
  const format: CsvFormat = 'own'
  const lines = await read(text, { resource: 'product', format, columns: ['sku', 'price', undefined] })
  expect(lines).toEqual([{ row: 2, fields: { sku: 'A-1', price: '12' } }])
})

test('numbers are read in the notation of any language, but not those with two meanings', async () => {
  const pricesOf = async (separator: string, prices: readonly string[]) => {
    const text = `sku${separator}price\n${prices.map((price) => `A${separator}"${price}"\n`).join('')}`
    return (await read(text, { resource: 'product' })).map(({ fields }) => fields.price)
  }
  const clear = ['12.500', '12,5', '1 234,500', '1\u202f234,5', '1.234,50', '1,234.50', '0,750', '١٢٫٥', '١٬٢٣٤٫٥']
  const numbers = ['12.5', '12.5', '1234.5', '1234.5', '1234.5', '1234.5', '0.75', '12.5', '1234.5']
  for (const separator of [',', ';', '\t']) expect(await pricesOf(separator, clear)).toEqual(numbers)
  expect(await pricesOf(';', ['12,345'])).toEqual(['12.345'])
  expect(await pricesOf(',', ['12,345', 'free', '12 DT'])).toEqual(['12,345', 'free', '12 DT'])

  const header = 'Handle,Title,Variant Price,Variant Compare At Price,Variant Inventory Qty\n'
  const [shopify] = await read(`${header}mug,Mug,"12,5","1.234,50",٧\n`, { resource: 'product' })
  expect(shopify?.fields).toMatchObject({ price: '12.5', compare_price: '1234.5', quantity: '7' })
  const [woo] = await read('Type,Name,Regular price,Sale price,Stock\nsimple,Mug,"12,5","9,900","3,0"\n', {
    resource: 'product',
  })
  expect(woo?.fields).toMatchObject({ price: '9,900', compare_price: '12.5', quantity: '3' })
})

test('a quote that is never closed swallows no rows: the file is refused, with the row that opens it', async () => {
  const text = 'sku,title\nA,One\nB,"Two\nC,Three\nD,Four\n'
  const error = await read(text, { resource: 'product' }).catch((error) => error)
  expect(error).toBeInstanceOf(UnclosedQuote)
  expect(error.row).toBe(3)
  expect(await read('sku,title\nA,"One"', { resource: 'product' })).toHaveLength(1)
})
