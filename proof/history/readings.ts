import { gunzipSync } from 'node:zlib'
import type { History, Json } from '../record.ts'
import { compareAssistant } from './assistant-readings.ts'
import { sendPatiently } from './http.ts'

/** Different ways to read the same, when nothing changes any more. Every way must show the same. */

type Complain = (detail: string) => void

const LISTS = [
  { kind: 'order', path: '/order', shown: 'orders' },
  { kind: 'customer', path: '/customer', shown: 'customers' },
  { kind: 'product', path: '/product', shown: 'products' },
  { kind: 'review', path: '/review', shown: 'reviews' },
]

const PAGE = 37

const read = async (base: string, token: string, path: string) => {
  const reply = await sendPatiently(base, token, path)
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${reply.text.slice(0, 200)}`)
  return reply
}

const byPages = async (base: string, token: string, path: string, shown: string) => {
  const rows: Json[] = []
  let total = 0
  for (let page = 1, last = 1; page <= last; page++) {
    const { data } = (await read(base, token, `${path}?page_size=${PAGE}&page=${page}`)).body
    rows.push(...data[shown])
    total = data.pagination.total
    last = data.pagination.last_page
  }
  return { rows, total }
}

const byCursor = async (base: string, token: string, path: string, shown: string) => {
  const rows: Json[] = []
  for (let cursor = ''; ; ) {
    const { data } = (await read(base, token, `${path}?page_size=${PAGE}${cursor && `&cursor=${cursor}`}`)).body
    rows.push(...data[shown])
    cursor = data.pagination.next_cursor
    if (!cursor) return rows
  }
}

const idsOf = (rows: readonly Json[]): string[] => rows.map(({ id }) => id)
const sorted = (ids: readonly string[]) => [...ids].sort()
const areSame = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other)

/** The rows of a snapshot, by kind. */
const bySnapshot = async (base: string, token: string) => {
  const { text } = await read(base, token, '/snapshot')
  const rows = new Map<string, Json[]>()
  for (const line of text.split('\n').filter(Boolean)) {
    const { type, data } = JSON.parse(line)
    if (data) rows.set(type, [...(rows.get(type) ?? []), data])
  }
  return rows
}

const TOTALS: [string, string, string[]][] = [
  ['/order', 'status', ['pending', 'paid', 'abandoned']],
  ['/order', 'is_cancelled', ['true', 'false']],
  ['/order', 'is_archived', ['true', 'false']],
  ['/product', 'status', ['active', 'inactive']],
  ['/product', 'out_of_stock', ['true', 'false']],
  ['/review', 'status', ['pending', 'hidden', 'published']],
]

const totalOf = async (base: string, token: string, path: string) =>
  (await read(base, token, path)).body.data.pagination.total as number

/** A filter and its complement are the whole. */
const checkFilters = async (base: string, token: string, complain: Complain) => {
  for (const [path, filter, values] of TOTALS) {
    const whole = await totalOf(base, token, `${path}?page_size=1`)
    let sum = 0
    for (const value of values) {
      const listed = (await read(base, token, `${path}?page_size=200&${filter}=${value}`)).body.data
      const rows = Object.values(listed).find(Array.isArray) as Json[]
      sum += listed.pagination.total
      if (listed.pagination.total <= 200 && rows.length !== listed.pagination.total)
        complain(`${path}?${filter}=${value}: ${rows.length} rows, total ${listed.pagination.total}`)
    }
    if (sum !== whole) complain(`${path}: ${filter} of every value has ${sum} rows, all together ${whole}`)
  }
  for (const status of ['pending', 'paid', 'abandoned']) {
    const whole = await totalOf(base, token, '/order?page_size=1')
    const own = await totalOf(base, token, `/order?page_size=1&status=${status}`)
    const others = await totalOf(base, token, `/order?page_size=1&exclude_status=${status}`)
    if (own + others !== whole)
      complain(`/order: status=${status} and exclude_status=${status} have ${own + others} of ${whole}`)
  }
}

/** A compressed reply is the plain one. */
const checkGzip = async (base: string, token: string, complain: Complain) => {
  const path = '/order?page_size=50'
  const headers = (encoding: string) => ({ headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding } })
  const plain = await (await fetch(base + path, headers('identity'))).text()
  const reply = await fetch(base + path, headers('gzip'))
  const bytes = Buffer.from(await reply.arrayBuffer())
  // fetch() decompresses by itself; a raw body would begin with the mark of gzip.
  const text = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : bytes.toString()
  if (text !== plain) complain(`GET ${path}: compressed and plain differ`)
}

const checkExport = async (base: string, token: string, refs: readonly string[], complain: Complain) => {
  const { text } = await read(base, token, '/order/export')
  const missing = refs.filter((ref) => !text.includes(ref))
  if (missing.length > 0) complain(`the export lacks ${missing.length} of ${refs.length} orders, such as ${missing[0]}`)
}

/** Pages, cursor, export, snapshot, the replayed feed, and an assistant. Reports each pair that differs. */
export const compareReadings = async (base: string, token: string, history: History) => {
  const complain: Complain = (detail) => history.complaints.push({ name: 'two readings differ', detail })
  const snapshot = await bySnapshot(base, token)
  for (const { kind, path, shown } of LISTS) {
    const { rows, total } = await byPages(base, token, path, shown)
    const pages = idsOf(rows)
    const cursor = idsOf(await byCursor(base, token, path, shown))
    if (!areSame(pages, cursor)) complain(`${path}: ${pages.length} rows by pages, ${cursor.length} by cursor`)
    if (total !== pages.length) complain(`${path}: total ${total}, ${pages.length} rows`)
    const inSnapshot = sorted(idsOf(snapshot.get(kind) ?? []))
    if (!areSame(sorted(pages), inSnapshot))
      complain(`${path}: ${pages.length} rows by pages, ${inSnapshot.length} in the snapshot`)
    const living = new Set<string>()
    for (const { resource, type } of history.feed)
      if (resource.kind === kind) type.endsWith('.deleted') ? living.delete(resource.id) : living.add(resource.id)
    if (!areSame(sorted(pages), sorted([...living])))
      complain(`${path}: ${pages.length} rows by pages, ${living.size} by the feed`)
    if (kind === 'order') {
      const refs = rows.map(({ ref }) => ref as string)
      await checkExport(base, token, refs, complain)
    }
  }
  await checkFilters(base, token, complain)
  await checkGzip(base, token, complain)
  await compareAssistant(base, token, history, complain)
}
