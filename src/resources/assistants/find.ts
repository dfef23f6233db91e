import { API_PREFIX } from '../../config/config.ts'
import type { Arguments } from './operations.ts'
import type { ToolContext } from './tool-context.ts'
import { ToolError } from './tool-error.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of every kind.
type Row = any

interface Source {
  permission: string
  path: string
  key: string
  /** Read to write a line. */
  fields: string
  line: (row: Row) => (string | number | null | undefined)[]
  /** Has no search of its own: the latest rows are looked through. */
  isFiltered?: boolean
  /** Of its page in the console, below that of the store. */
  page: (id: string) => string
}

const SOURCES: Record<string, Source> = {
  orders: {
    permission: 'order:view',
    path: '/order',
    key: 'orders',
    fields: 'id,ref,customer_name,customer_phone,status,total,currency,created_at,is_cancelled,deliveries.status',
    line: ({ ref, customer_name, customer_phone, total, currency, status, is_cancelled, deliveries, created_at }) => [
      ref,
      customer_name,
      customer_phone,
      `${total} ${currency}`,
      is_cancelled ? 'cancelled' : status,
      deliveries?.map(({ status }: Row) => status).join('+'),
      created_at?.slice(0, 10),
    ],
    page: (id) => `/orders/${id}`,
  },
  products: {
    permission: 'product:view',
    path: '/product',
    key: 'products',
    fields: 'id,title,status,default.price,default.sku,default.quantity,variants.id',
    line: ({ title, status, default: own, variants }) => [
      title,
      own?.sku,
      own && `price ${own.price}`,
      own && `stock ${own.quantity}`,
      variants?.length > 0 ? `${variants.length} variants` : '',
      status,
    ],
    page: (id) => `/products/${id}`,
  },
  customers: {
    permission: 'customer:view',
    path: '/customer',
    key: 'customers',
    fields: 'id,name,email,phone,city,order_count',
    line: ({ name, email, phone, city, order_count }) => [name, email, phone, city, `${order_count} orders`],
    page: (id) => `/customers/${id}`,
  },
  reviews: {
    permission: 'review:view',
    path: '/review',
    key: 'reviews',
    fields: 'id,rating,status,reviewer_name,content,product.title',
    line: ({ rating, status, reviewer_name, content, product }) => [
      `${rating} stars`,
      status,
      reviewer_name,
      product?.title,
      content?.slice(0, 100),
    ],
    isFiltered: true,
    page: () => '/reviews',
  },
  pages: {
    permission: 'landing_page:view',
    path: '/landing-page',
    key: 'landingPages',
    fields: 'id,title,slug,published_at,product.title',
    line: ({ title, slug, published_at, product }) => [
      title,
      slug,
      product?.title,
      published_at ? 'published' : 'not published',
    ],
    isFiltered: true,
    page: (id) => `/landing-pages/${id}`,
  },
}

export const FINDABLE = Object.keys(SOURCES)
/** The permissions with which something can be found. */
export const FINDING = Object.values(SOURCES).map(({ permission }) => permission)

const MAX_WORDS = 200
const ROWS = 5
/** How many of the latest rows are looked through where the API has no search. */
const LOOKED_THROUGH = 200

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Rows whose line contains every word. */
const matching = (rows: Row[], { line }: Source, words: string) => {
  const wanted = fold(words).split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    const text = fold(line(row).join(' '))
    return wanted.every((word) => text.includes(word))
  })
}

const search = async ({ callApi, storePage }: ToolContext, source: Source, words: string) => {
  const query = new URLSearchParams({
    fields: source.fields,
    page_size: String(source.isFiltered ? LOOKED_THROUGH : ROWS),
    ...(!source.isFiltered && { search: words }),
  })
  const reply = await callApi({ method: 'GET', url: `${API_PREFIX}${source.path}?${query}` })
  if (reply.status !== 200) return { lines: [], more: false, note: reply.body?.message as string }
  const { pagination, ...data } = reply.body.data
  const rows = source.isFiltered ? matching(data[source.key], source, words) : data[source.key]
  const lines = rows.slice(0, ROWS).map((row: Row) => ({
    id: row.id,
    line: source
      .line(row)
      .filter((part) => part !== '' && part !== null && part !== undefined)
      .join(' · '),
    console: storePage(source.page(row.id)),
  }))
  const more = rows.length > ROWS || (!source.isFiltered && pagination.total > ROWS)
  const isPartial = source.isFiltered && pagination.total > LOOKED_THROUGH
  const note = isPartial ? `only the latest ${LOOKED_THROUGH} of ${pagination.total} were looked through.` : undefined
  return { lines, more, note }
}

/** Looks for words, a number, a phone number or an email address in everything that the caller may see. */
export const find = async (context: ToolContext, args: Arguments) => {
  const words = String(args.words ?? '').trim()
  if (words.length < 2 || words.length > MAX_WORDS)
    throw new ToolError(`words must have 2 to ${MAX_WORDS} characters.`, { field: 'words' })
  const wanted = Array.isArray(args.in) && args.in.length > 0 ? args.in.map(String) : FINDABLE
  const found: Record<string, unknown> = {}
  const notes: string[] = []
  for (const kind of wanted) {
    const source = SOURCES[kind]
    if (!source)
      throw new ToolError(`There is nothing to find in ${kind}.`, {
        field: 'in',
        hint: `One of ${FINDABLE.join(', ')}.`,
      })
    if (!context.permissions.has(source.permission)) {
      if (args.in !== undefined)
        throw new ToolError(`Finding ${kind} needs the permission ${source.permission}.`, {
          field: 'in',
          permission: source.permission,
        })
      continue
    }
    const { lines, more, note } = await search(context, source, words)
    if (lines.length > 0) found[kind] = lines
    if (more) notes.push(`There are more ${kind}: use more words, or read with search.`)
    if (note) notes.push(`${kind}: ${note}`)
  }
  return { store_data: found, ...(notes.length > 0 && { notes }) }
}
