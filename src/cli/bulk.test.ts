import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { readConfig } from '../config/config.ts'
import { runCommandLine } from './run.ts'

let folder: string
let database: pg.ClientConfig

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-import-'))
  database = await cloneDatabase()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const storefront = async (...words: string[]) => {
  const shown = { out: '', err: '', bar: '' }
  const code = await runCommandLine(words, {
    config: () => readConfig({ DATABASE_URL: databaseUrl(database), DATA_DIR: folder, PORT: '1' }),
    print: async (text) => {
      shown.out += text
    },
    say: (line) => {
      shown.err += `${line}\n`
    },
    redraw: (text) => {
      shown.bar = text
    },
  })
  return { code, ...shown }
}

const newStore = async () =>
  JSON.parse((await storefront('store', 'create', '--name', 'Shop', '--json')).out).id as string

const write = async (name: string, text: string) => {
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

const exported = async (store: string, resource = 'product') => {
  const { out } = await storefront('export', '--store', store, '--resource', resource)
  const lines = out.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}

test('an import shows a progress bar and the refused lines, and writes its results', async () => {
  const store = await newStore()
  const file = await write('customers.ndjson', '{"email":"a@example.com"}\n{"email":"a"}\n{"email":"b@example.com"}\n')
  const results = path.join(folder, 'results.ndjson')
  const { code, out, err, bar } = await storefront(
    ...['import', file, '--store', store, '--resource', 'customer', '--results', results],
  )
  expect({ code, out }).toEqual({ code: 1, out: '2 created, 0 updated, 1 failed.\n' })
  expect(err).toContain('Line 2: email must be an email address')
  expect(bar).toMatch(/^\[#{30}\] 3\/3 lines/)
  expect((await readFile(results, 'utf8')).trimEnd().split('\n')).toHaveLength(3)
  expect((await exported(store, 'customer')).map(({ email }) => email)).toEqual(['a@example.com', 'b@example.com'])
})

const SHOPIFY = `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Image Src,Status
linen-shirt,Linen shirt,"<p>Light, ""cool""
and soft.</p>",Atelier,Shirts,"linen, summer",true,Size,S,Colour,White,LS-S-W,shopify,4,deny,45.00,59.00,https://cdn.example/1.jpg,active
linen-shirt,,,,,,,,L,,White,LS-L-W,shopify,-2,deny,45.00,,https://cdn.example/2.jpg,
linen-shirt,,,,,,,,,,,,,,,,,https://cdn.example/3.jpg,
mug,Mug,,,Kitchen,,true,Title,Default Title,,,MUG,shopify,10,continue,12.5,,,draft
`

test('products are imported from a Shopify CSV, and a second import creates no duplicates', async () => {
  const store = await newStore()
  const file = await write('shopify.csv', `\uFEFF${SHOPIFY.replaceAll('\n', '\r\n')}`)
  const first = await storefront('import', file, '--store', store)
  expect(first).toMatchObject({ code: 0, out: '2 created, 0 updated, 0 failed.\n' })
  const again = await storefront('import', file, '--store', store, '--mode', 'upsert', '--match', 'slug')
  expect(again).toMatchObject({ code: 0, out: '0 created, 2 updated, 0 failed.\n' })
  const [shirt, mug] = (await exported(store)).sort((a, b) => a.slug.localeCompare(b.slug))
  expect(shirt).toMatchObject({
    title: 'Linen shirt',
    slug: 'linen-shirt',
    description: expect.stringMatching(/^<p>Light, "cool"\r?\nand soft/),
    status: 'active',
    category: { name: 'Shirts' },
    options: [
      { name: 'Size', values: [{ value: 'S' }, { value: 'L' }] },
      { name: 'Colour', values: [{ value: 'White' }] },
    ],
    variants: [
      { sku: 'LS-S-W', price: 45, compare_price: 59, quantity: 4 },
      { sku: 'LS-L-W', price: 45, quantity: 0 },
    ],
  })
  expect(shirt.properties.map(({ name, value }: Record<string, string>) => [name, value])).toEqual([
    ['Vendor', 'Atelier'],
    ['Tags', 'linen, summer'],
  ])
  expect(mug).toMatchObject({
    status: 'inactive',
    allow_order_when_oos: true,
    options: [],
    default: { sku: 'MUG', price: 12.5, quantity: 10 },
  })
})

const WOOCOMMERCE = `ID,Type,SKU,Name,Published,Short description,Description,In stock?,Stock,Backorders allowed?,Sale price,Regular price,Categories,Tags,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s)
7,variation,HOOD-B,Hoodie - Blue,1,,,1,3,0,,45,,,HOOD,Colour,Blue,,
5,variable,HOOD,Hoodie,1,Warm,,1,,0,,,"Clothing > Hoodies, Sale",winter,,Colour,"Blue, Red",Fabric,Cotton
8,variation,,Hoodie - Red,1,,,1,,0,40,45,,,id:5,Colour,Red,,
9,"simple, virtual, downloadable",EBOOK,Cook book,0,,Recipes,1,,0,,12.5,Books,,,,,,
`

test('products are imported from a WooCommerce CSV', async () => {
  const store = await newStore()
  const file = await write('woo.csv', WOOCOMMERCE)
  expect(await storefront('import', file, '--store', store)).toMatchObject({
    code: 0,
    out: '2 created, 0 updated, 0 failed.\n',
  })
  const [hoodie, book] = await exported(store)
  expect(book).toMatchObject({ title: 'Cook book', is_digital: true, status: 'inactive', stock_tracked: false })
  expect(hoodie).toMatchObject({
    title: 'Hoodie',
    description: 'Warm',
    category: { name: 'Hoodies' },
    options: [{ name: 'Colour', values: [{ value: 'Blue' }, { value: 'Red' }] }],
    variants: [
      { sku: 'HOOD-B', price: 45, quantity: 3 },
      { price: 40, compare_price: 45 },
    ],
    properties: [
      { name: 'Fabric', value: 'Cotton' },
      { name: 'Tags', value: 'winter' },
    ],
  })
})

test('an export can be imported into another store, after a dry run', async () => {
  const [from, to] = [await newStore(), await newStore()]
  await storefront('import', await write('shopify.csv', SHOPIFY), '--store', from)
  const file = path.join(folder, 'products.ndjson')
  expect((await storefront('export', '--store', from, '--to', file)).out).toBe(`2 lines written to ${file}.\n`)
  const words = ['import', file, '--store', to, '--without-files']
  const tried = await storefront(...words, '--dry-run')
  expect(tried.out).toBe('Nothing was changed. It would be: 2 created, 0 updated, 0 failed.\n')
  expect(await exported(to)).toEqual([])
  expect((await storefront(...words)).code).toBe(0)
  const skus = async (store: string) =>
    (await exported(store)).flatMap(({ variants, default: single }) =>
      [...variants, single].map(({ sku }: { sku: string }) => sku),
    )
  expect(await skus(to)).toEqual(await skus(from))
})

test('an export of oversold products can be imported, created or updated', async () => {
  const [from, to] = [await newStore(), await newStore()]
  await storefront('import', await write('shopify.csv', SHOPIFY), '--store', from)
  const file = path.join(folder, 'oversold.ndjson')
  const oversell = async (quantity: number) => {
    const client = new pg.Client(database)
    await client.connect()
    await client.query('update variant set quantity = $2 where store_id = $1', [from, quantity])
    await client.end()
    await storefront('export', '--store', from, '--to', file)
  }
  const stock = async (store: string) =>
    (await exported(store)).flatMap(({ variants, default: single }) =>
      [...variants, single].map(({ sku, quantity }: { sku: string; quantity: number }) => [sku, quantity]),
    )
  await oversell(-3)
  const words = ['import', file, '--store', to, '--without-files']
  const { code, out, err } = await storefront(...words)
  expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('2 created, 0 updated, 0 failed') })
  expect(await stock(to)).toEqual(await stock(from))
  expect((await stock(to)).every(([, quantity]) => quantity === -3)).toBe(true)
  await oversell(-5)
  const again = await storefront(...words, '--mode', 'upsert', '--match', 'slug')
  expect(again).toMatchObject({
    err: expect.not.stringContaining('Line'),
    out: expect.stringContaining('0 created, 2 updated, 0 failed'),
  })
  expect(await stock(to)).toEqual(await stock(from))
})

test('mistakes are reported before anything is imported', async () => {
  const store = await newStore()
  const file = await write('other.csv', 'a,b\n1,2\n')
  const refused = async (message: RegExp, ...words: string[]) => {
    const { code, err, out } = await storefront(...words)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(message)
  }
  await refused(/neither those of Shopify/, 'import', file, '--store', store)
  await refused(/Only products and customers/, 'import', file, '--store', store, '--resource', 'order')
  await refused(/cannot be read/, 'import', path.join(folder, 'none.ndjson'), '--store', store)
  await refused(/--match/, 'import', file, '--store', store, '--mode', 'upsert')
  await refused(/--resource must be one of/, 'export', '--store', store, '--resource', 'unicorn')
  await refused(/There is no store/, 'import', file, '--store', 'x')
})
