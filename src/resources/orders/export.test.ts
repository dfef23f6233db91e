import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { createCarrier } from '../carriers/create-carrier.ts'
import { exportOrders } from './export.ts'

const HEADING =
  'id,ref,status,currency,customer_first_name,customer_last_name,customer_name,customer_email,customer_phone,' +
  'customer_address,customer_city,customer_state,customer_postal_code,customer_id,billing_first_name,' +
  'billing_last_name,billing_name,billing_email,billing_phone,billing_address,billing_city,billing_state,' +
  'billing_postal_code,card_brand,card_last4,shipping_rate,shipping_name,discount,discount_code,tip,tip_type,' +
  'tip_value,bundle_name,bundle_option_name,bundle_price,fee,subtotal,total,quantity,is_archived,is_cancelled,' +
  'cancelled_at,paid_at,created_at,source_link,checkout_link,thank_you_link,country,items,delivery_status,' +
  'tracking_number,phone,duplicate_of,phone_orders,phone_delivered,phone_returned,phone_open,level,reasons,' +
  'confirmation,confirmation_attempts,confirmation_next_at'
const COLUMNS = HEADING.split(',')
const FLAT = COLUMNS.slice(0, COLUMNS.indexOf('country'))

/** A strict RFC 4180 parser: CRLF ends every line, and quotes enclose whole cells. */
const parse = (text: string): string[][] => {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let row: string[] = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, plain, end] = cell.exec(text) ?? []
    if (end === undefined) throw new Error(`not RFC 4180 at ${at}: ${text.slice(at, at + 80)}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

type Row = Record<string, string>
const read = (text: string): Row[] => {
  const [heading, ...rows] = parse(text)
  expect(heading).toEqual(COLUMNS)
  return rows.map((row) => {
    expect(row).toHaveLength(COLUMNS.length)
    return Object.fromEntries(row.map((cell, index) => [COLUMNS[index], cell]))
  })
}

const download = async (caller: Caller, query = '') => {
  const reply = await caller.get(`/order/export${query}`)
  expect(reply.status, reply.text).toBe(200)
  return read(reply.text)
}

/** All orders of the list, over all pages. */
const listed = async (caller: Caller, query = '?') => {
  const orders = []
  for (let cursor = ''; ; ) {
    const { data } = (await caller.get(`/order${query}&page_size=200${cursor}`)).body
    orders.push(...data.orders)
    if (!data.pagination.next_cursor) return orders
    cursor = `&cursor=${data.pagination.next_cursor}`
  }
}

const escapeFormula = (text: string) =>
  /^(\s*[=+\-@]|[\t\r])/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
const joined = (cells: (string | null)[]) => cells.filter((cell) => cell !== null).join('; ')

// biome-ignore lint/suspicious/noExplicitAny: an order as the list shows it, checked against its schema already.
const expected = (order: any): Row => ({
  ...Object.fromEntries(FLAT.map((name) => [name, escapeFormula(String(order[name] ?? ''))])),
  country: order.customer_country?.name ?? '',
  items: escapeFormula(
    joined(
      order.variants.map(
        (line: { quantity: number; title: string; sku: string | null }) =>
          `${line.quantity} x ${line.title}${line.sku ? ` (${line.sku})` : ''}`,
      ),
    ),
  ),
  delivery_status: joined(order.deliveries.map(({ status }: { status: string }) => status)),
  tracking_number: escapeFormula(
    joined(order.deliveries.map(({ tracking_number }: { tracking_number: string | null }) => tracking_number)),
  ),
  phone: escapeFormula(order.signals.phone ?? ''),
  duplicate_of: order.signals.duplicate_of ?? '',
  phone_orders: String(order.signals.phone_orders),
  phone_delivered: String(order.signals.phone_delivered),
  phone_returned: String(order.signals.phone_returned),
  phone_open: String(order.signals.phone_open),
  level: order.signals.level,
  reasons: joined(order.signals.reasons.map(({ code }: { code: string }) => code)),
  confirmation: order.confirmation?.state ?? '',
  confirmation_attempts: String(order.confirmation?.attempts ?? 0),
  confirmation_next_at: order.confirmation?.next_at ?? '',
})

const AWKWARD_TEXTS = [
  '=HYPERLINK("http://evil.example","x")',
  '+216 20 123 456',
  '-5',
  '-5.25',
  '-5x',
  '@SUM(A1:A2)',
  '\tTab first',
  '\rReturn first',
  'say "hi", then\r\ngo\nhome',
  'محمد علي، تونس',
  'back\\slash \\\\ two, \\"',
  '(in parentheses)',
  '()',
  ' spaces around ',
  '日本 🎉 é',
  '"',
  ',',
  'a;b\tc',
  "'quoted'",
]

/** Orders of every kind: all statuses, lines with and without a SKU, several deliveries, awkward text. */
const fillShop = async (api: TestApi) => {
  const all = await api.as()
  const mug = await addProduct(api, { title: 'كوب "Blue", large', sku: 'MUG-1', price: 12.345 })
  const hat = await addProduct(api, { title: '=Hat' })
  const book = await addProduct(api, { title: 'Book', is_digital: true, sku: '' })
  const carrier = await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift' })
  const statuses = ['pending', 'paid', 'abandoned']
  for (const [n, text] of AWKWARD_TEXTS.entries()) {
    const { data } = (
      await all.post('/order', {
        status: statuses[n % 3],
        is_cancelled: n % 5 === 0,
        is_archived: n % 4 === 0,
        customer_first_name: text,
        customer_last_name: n % 2 ? text : '',
        customer_address: text,
        customer_email: n % 3 ? `shopper${n % 4}@example.com` : '',
        billing_city: text,
        shipping_name: text,
        discount_code: text,
        source_link: `https://a.example/${text}`,
        shipping_rate: 7.5,
        country_id: n % 2 ? 'TN' : null,
        created_at: `2026-01-${String(n + 1).padStart(2, '0')}`,
        variants: [
          { variant_id: [mug, hat, book][n % 3]?.variant, quantity: 2 },
          { variant_id: mug.variant, quantity: 1 },
        ].slice(0, n % 4),
      })
    ).body
    const [parcel] = data.order.deliveries
    if (parcel && n % 2)
      await all.put(`/order/delivery/${parcel.id}`, {
        status: 'shipped',
        tracking_number: text,
        shipping_carrier: carrier.id,
      })
    if (n % 6 === 3)
      await all.post(`/order/${data.order.id}/return`, {
        variants: [{ order_variant_id: data.order.variants[0].id, quantity: 1 }],
      })
    if (n % 3 === 1 && data.order.total > 1) await all.post(`/order/${data.order.id}/refund`, { amount: 1 })
  }
  return { all, mug, hat }
}

test('the export is a dated download of every order, and parses back exactly', async () => {
  const api = await startTestApi()
  const { all } = await fillShop(api)
  const reply = await api.as('order:export').get('/order/export')
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(reply.headers.get('content-disposition')).toBe(
    `attachment; filename="orders-${new Date().toISOString().slice(0, 10)}.csv"`,
  )
  expect(reply.text.startsWith(`${HEADING}\r\n`)).toBe(true)
  const orders = await listed(all)
  expect(orders).toHaveLength(AWKWARD_TEXTS.length)
  expect(read(reply.text)).toEqual(orders.map(expected))
  const names = read(reply.text).map(({ shipping_name }) => shipping_name)
  expect(names).toContain('\'=HYPERLINK("http://evil.example","x")')
  expect(names).toContain('-5.25')
  expect(names).toContain("'+216 20 123 456")
})

test('what is known of the phone number and what the customer said are columns, and filters of the file', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await all.put('/setting', { order_desk: { confirm: true } })
  const mug = await addProduct(api, { price: 5 })
  const order = async (customer_phone: string, created_at?: string) => {
    const variants = [{ variant_id: mug.variant, quantity: 1 }]
    const reply = await all.post('/order', { customer_phone, variants, ...(created_at && { created_at }) })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order
  }
  const older = await order('20 123 456', '2026-03-01T10:00:00Z')
  const newer = await order('+216 20123456', '2026-03-01T11:00:00Z')
  const delivered = await order('٢٠١٢٣٤٥٦', '2026-01-01T10:00:00Z')
  const unreadable = await order('call me', '2026-03-02T10:00:00Z')
  await order('', '2026-03-03T10:00:00Z')
  await all.put(`/order/delivery/${delivered.deliveries[0].id}`, { status: 'delivered' })
  const next_at = '2026-12-01T10:00:00.000Z'
  await all.post(`/order/${newer.id}/confirmation`, { result: 'postponed', next_at })
  await all.post(`/order/${unreadable.id}/confirmation`, { result: 'no_answer' })
  await all.post(`/order/${unreadable.id}/confirmation`, { result: 'refused', cancel: true })

  const rows = await download(all)
  expect(rows).toEqual((await listed(all)).map(expected))
  const rowOf = ({ id }: { id: string }) => rows.find((row) => row.id === id)
  const counts = {
    phone: "'+21620123456",
    phone_orders: '3',
    phone_delivered: '1',
    phone_returned: '0',
    phone_open: '2',
  }
  expect(rowOf(older)).toMatchObject({ ...counts, duplicate_of: '', confirmation: 'waiting', confirmation_next_at: '' })
  expect(rowOf(newer)).toMatchObject({
    ...counts,
    duplicate_of: older.id,
    level: 'careful',
    reasons: 'duplicate; short_address',
    confirmation: 'postponed',
    confirmation_attempts: '1',
    confirmation_next_at: next_at,
  })
  expect(rowOf(delivered)).toMatchObject({ ...counts, duplicate_of: '' })
  expect(rowOf(unreadable)).toMatchObject({
    phone: '',
    phone_orders: '0',
    level: 'bad',
    confirmation: 'refused',
    confirmation_attempts: '2',
    confirmation_next_at: '',
  })
  for (const query of ['duplicate=true', 'level=bad', 'confirmation=postponed,refused', 'phone=0021620123456']) {
    const orders = await listed(all, `?${query}`)
    expect(orders.length, query).toBeGreaterThan(0)
    expect(await download(all, `?${query}`), query).toEqual(orders.map(expected))
  }
})

test('a formula after invisible characters is escaped too', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const blanks = [
    ' ',
    '\u00A0',
    '\n',
    '\v',
    '\f',
    '\uFEFF',
    '\u200B',
    '\u2060',
    '\u00AD',
    '\u3000',
    '\u202E',
    '\u{E0020}',
    ' \n\u200B ',
  ]
  const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
  const dangerous = [...blanks.map((blank) => `${blank}=1+1`), ...starts.map((start) => `${start}1+1`)]
  const harmless = [' Ali', '\u200BAli', 'Ünal', 'عمر', '٣', '日本', '-12.5', '7 = 7', '(=1)', '\u00A0', '’=1']
  for (const text of [...dangerous, ...harmless]) {
    const reply = await all.post('/order', { shipping_name: text })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.body.data.order.shipping_name, JSON.stringify(text)).toBe(text)
  }
  const cells = (await download(all)).map(({ shipping_name }) => shipping_name)
  expect(cells.sort()).toEqual([...dangerous.map((text) => `'${text}`), ...harmless].sort())
})

test('the file starts with a byte order mark on request, or for a browser', async () => {
  const api = await startTestApi()
  const app = await api.install(['order:export'])
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const start = async (query: string, accept: string) => {
    const address = `${api.origin}/api/apps/v1/order/export${query}`
    const reply = await fetch(address, { headers: { authorization, accept } })
    expect(reply.status).toBe(200)
    // Decoding as text would drop the byte order mark.
    return Buffer.from(await reply.arrayBuffer()).toString('hex', 0, 5)
  }
  const [withMark, without] = ['efbbbf6964', '69642c7265']
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  expect(await start('', '*/*')).toBe(without)
  expect(await start('', 'text/csv')).toBe(without)
  expect(await start('', browser)).toBe(withMark)
  expect(await start('?bom=true', '*/*')).toBe(withMark)
  expect(await start('?bom=false', browser)).toBe(without)
  expect(await api.as('order:export').get('/order/export?bom=perhaps')).toFailWith('validation_failed')
})

test('every filter and sort gives the same orders in the same order as the list', async () => {
  const api = await startTestApi()
  const { all, mug, hat } = await fillShop(api)
  const [first] = await listed(all)
  const customer = (await listed(all)).find(({ customer_id }) => customer_id).customer_id
  const queries = [
    'search=shopper1',
    `search=${encodeURIComponent('محمد')}`,
    `ref=${first.ref}`,
    'status=paid',
    'delivery_status=shipped',
    'delivery_status=shipped,unfulfilled',
    'delivery_status[]=shipped&delivery_status[]=delivered',
    'return_status=unfulfilled',
    'refund_status=pending',
    'exclude_status=abandoned',
    'exclude_delivery_status=shipped',
    'exclude_return_status=unfulfilled',
    'exclude_refund_status=pending,refunded',
    `customer_id=${customer}`,
    `product_id=${mug.id}`,
    `product_id=${mug.id},${hat.id}`,
    `landing_page_id=${randomUUID()}`,
    `carrier_id=${randomUUID()}`,
    'phone=20123456',
    'level=careful,bad',
    'duplicate=false',
    'confirmation=waiting',
    'is_cancelled=true',
    'is_archived=false',
    'from=2026-01-05&to=2026-01-10',
    'from=1767571200',
    'updated_from=2020-01-01&updated_to=2020-02-01',
    'order_by=total',
    'order_by=quantity&order_direction=ASC',
    'order_by=status',
    'order_by=date&order_direction=ASC',
    'status=pending&is_cancelled=false&order_by=total&order_direction=ASC&search=example',
  ]
  for (const query of queries) {
    const orders = await listed(all, `?${query}`)
    expect(await download(all, `?${query}`), query).toEqual(orders.map(expected))
  }
})

test('an empty store gives only the header row, and no rows of other stores', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await other.as().post('/order', {})
  const reply = await api.as('order:export').get('/order/export?format=csv')
  expect(reply.text).toBe(`${HEADING}\r\n`)
})

test('the export refuses what the list refuses, and other formats', async () => {
  const api = await startTestApi()
  const caller = await api.as('order:export')
  const fields = {
    format: 'xlsx',
    status: 'lost',
    order_by: 'name',
    from: 'soon',
    customer_id: 'x',
  }
  for (const [field, value] of Object.entries(fields))
    expect(await caller.get(`/order/export?${field}=${value}`)).toBeRefused(422, field)
  const paged = await caller.get('/order/export?page=2&page_size=1&colour=red')
  expect(paged.status).toBe(200)
  expect(paged.headers.get('x-ignored-input')).toBe('page, page_size, colour')
  expect(await api.as('order:view').get('/order/export')).toFailWith('forbidden')
})

test('HEAD sends the headers of GET without a body', async () => {
  const api = await startTestApi()
  const caller = await api.as('order:export')
  const reply = await caller.send('HEAD', '/order/export')
  expect(reply.status).toBe(200)
  expect(reply.text).toBe('')
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(reply.headers.get('content-disposition')).toContain('attachment')
})

// Longer than the buffers of sockets and streams.
const LONG = 'a long address '.repeat(100)

/** Inserts many orders at once. */
const addMany = async ({ db, store }: TestApi, count: number, text = 'x') => {
  await sql`insert into orders (store_id, ref, currency, customer_address, total, created_at)
    select ${store.id}, 'R' || n, 'TND', ${text}, n % 7, now() - (n / 5) * interval '1 minute'
    from generate_series(1, ${count}::int) n`.execute(db)
}

test('each of many orders is exported once, even if more are created meanwhile', async () => {
  const api = await startTestApi()
  await addMany(api, 2_500)
  const caller = await api.as('order:export', 'order:create')
  for (const query of ['', '?order_by=total']) {
    const before = await api.db.selectFrom('orders').select('id').where('store_id', '=', api.store.id).execute()
    const arriving = Promise.all(Array.from({ length: 20 }, () => caller.post('/order', {})))
    const ids = (await download(caller, query)).map(({ id }) => id)
    await arriving
    const seen = new Set(ids)
    expect(seen.size).toBe(ids.length)
    expect(before.filter(({ id }) => !seen.has(id))).toEqual([])
  }
})

/** A reader that only reads when told to. */
const openExport = async ({ origin }: TestApi, token: string, headers: Record<string, string> = {}) => {
  const call = request(`${origin}/api/apps/v1/order/export`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  call.end()
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    call.once('response', resolve)
    call.once('error', reject)
  })
  response.pause()
  return { call, response }
}

const exportToken = async (api: TestApi) => {
  const app = await api.install(['order:export'])
  return api.getToken(app, { install_id: app.install_id })
}

const busyConnections = async ({ db }: TestApi) => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'storefront server' and state <> 'idle'
      and query not like 'listen%'`.execute(db)
  return rows[0]?.count
}

test('orders of any length are sent in pieces of a few megabytes, each once and in order', async () => {
  const api = await startTestApi()
  // Short ones, then thirty of 600 kB each, then short ones again.
  await sql`insert into orders (store_id, ref, currency, created_at)
    select ${api.store.id}, 'R' || n, 'TND', '2026-01-01'::timestamptz + n * interval '1 minute'
    from generate_series(1, 900) n`.execute(api.db)
  await sql`insert into order_line (store_id, order_id, title, quantity, price, position, is_digital)
    select o.store_id, o.id, repeat('long title ', 60000), 1, 0, 0, false from orders o
    where o.store_id = ${api.store.id} and substr(o.ref, 2)::int between 300 and 329`.execute(api.db)
  const store = api.store.id
  const pieces: string[] = []
  const query = { order_by: 'date', order_direction: 'ASC' } as const
  for await (const piece of exportOrders(
    api.db,
    (work) => work(),
    store,
    query,
    async () => {},
  ))
    pieces.push(piece)
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(3 * 2 ** 20)
  const refs = read(pieces.join('')).map(({ ref }) => ref)
  expect(refs).toEqual(Array.from({ length: 900 }, (_, n) => `R${n + 1}`))
  expect(pieces.length).toBeLessThan(40)
})

/** A store with many long orders, shared by tests that only read them. */
let longOrders: Promise<TestApi> | undefined
const startShopOfLongOrders = () => {
  longOrders ??= startTestApi().then(async (api) => {
    await addMany(api, 3_000, LONG)
    return api
  })
  return longOrders
}

test('stalled readers block nobody and hold no connection, and still get the whole file', async () => {
  const api = await startShopOfLongOrders()
  const token = await exportToken(api)
  const stalled = await Promise.all(Array.from({ length: 8 }, () => openExport(api, token)))
  await expect.poll(() => busyConnections(api)).toBe(0)
  expect((await api.as('order:view').get('/order?page_size=1')).status).toBe(200)
  const [reader, ...rest] = stalled
  for (const { response } of rest) response.destroy()
  let text = ''
  for await (const piece of reader?.response.setEncoding('utf8') ?? []) text += piece
  expect(parse(text)).toHaveLength(3_001)
})

test.each(['identity', 'gzip'])('a reader that disconnects frees everything, read as %s', async (encoding) => {
  const api = await startShopOfLongOrders()
  const token = await exportToken(api)
  // More than may run at once, so that each must have been released.
  for (let n = 0; n < 22; n++) {
    const { call, response } = await openExport(api, token, { 'accept-encoding': encoding })
    expect(response.statusCode).toBe(200)
    await new Promise((resolve) => response.once('readable', resolve))
    call.destroy()
    await sleep(10)
  }
  await expect.poll(() => busyConnections(api)).toBe(0)
})

test('at most twenty exports of a store run at once', async () => {
  const api = await startShopOfLongOrders()
  const token = await exportToken(api)
  const open = await Promise.all(Array.from({ length: 21 }, () => openExport(api, token)))
  expect(open.filter(({ response }) => response.statusCode === 429)).toHaveLength(1)
  const other = await startTestApi()
  expect((await other.as('order:export').get('/order/export')).status).toBe(200)
  for (const { response } of open) response.destroy()
})

test('a compressed export is the same file', async () => {
  // Not the store whose exports may still be ending.
  const api = await startTestApi()
  await addMany(api, 500)
  const caller = await api.as('order:export')
  const plain = await caller.get('/order/export', { 'accept-encoding': 'identity' })
  const gzipped = await caller.get('/order/export', { 'accept-encoding': 'gzip' })
  expect(gzipped.headers.get('content-encoding')).toBe('gzip')
  expect(gzipped.text).toBe(plain.text)
})

const run = promisify(execFile)

test('LibreOffice opens the file with the right columns and characters', async ({ skip }) => {
  const found = await run('soffice', ['--version']).catch(() => undefined)
  if (!found) return skip('LibreOffice is not installed here.')
  const api = await startTestApi()
  const { all } = await fillShop(api)
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-export-'))
  try {
    // Restores the byte order mark, which decoding drops. It must not become part of the header.
    const marked = `\uFEFF${(await all.get('/order/export?bom=true')).text}`
    await writeFile(path.join(folder, 'orders.csv'), marked)
    // Reads UTF-8 with commas and quotes, and converts every cell as displayed to a tab-separated file.
    await run('soffice', [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      '--infilter=Text - txt - csv (StarCalc):44,34,76,1,,0,false,true',
      '--convert-to',
      'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true',
      '--outdir',
      `${folder}/out`,
      path.join(folder, 'orders.csv'),
    ])
    const written = await readFile(path.join(folder, 'out', 'orders.csv'), 'utf8')
    const rows = parse(written.replace(/\r?\n/g, '\r\n')).slice(0, AWKWARD_TEXTS.length + 1)
    expect(rows[0]).toEqual(COLUMNS)
    const seen = rows.map((row) => row[COLUMNS.indexOf('shipping_name')])
    for (const text of ['محمد علي، تونس', '日本 🎉 é', '(in parentheses)', '\'=HYPERLINK("http://evil.example","x")'])
      expect(seen).toContain(text)
    expect(rows.map((row) => row[0])).toEqual(['id', ...(await listed(all)).map(({ id }) => id)])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
