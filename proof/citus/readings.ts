import type { Exchange, Side } from './side.ts'

const PAGE = 50

/** Lists that are read while writes go on. */
export const SOME_READS = [
  '/order?page_size=10',
  '/order?page_size=10&status=paid',
  '/order?page_size=10&search=buyer',
  '/order?page_size=10&sort=total',
  '/customer?page_size=10',
  '/product?page_size=10',
  '/product?page_size=10&out_of_stock=true',
  '/review?page_size=10',
  '/category',
  '/analytic/sales',
]

const LISTS = ['/order', '/customer', '/product', '/review', '/category', '/landing-page', '/policy']

const FILTERS = [
  ...['pending', 'paid', 'abandoned'].map((status) => `/order?status=${status}`),
  ...['pending', 'paid', 'abandoned'].map((status) => `/order?exclude_status=${status}`),
  ...['/order?is_cancelled=true', '/order?is_archived=true', '/order?search=buyer', '/order?search=tunis'],
  ...['/product?status=active', '/product?out_of_stock=true', '/product?search=shelf', '/customer?search=sfax'],
  ...['pending', 'hidden', 'published'].map((status) => `/review?status=${status}`),
]

const WHOLE = [
  ...['/order/export', '/snapshot', '/shipping-carrier', '/setting', '/domain', '/payment-method', '/parcel/summary'],
  ...['sales', 'products', 'customers', 'delivery', 'landing-pages', 'levels', 'stock'].map(
    (figures) => `/analytic/${figures}`,
  ),
]

/** All pages of the lists, by filters too, the export, the snapshot and the figures. */
export const readEverything = async (side: Side): Promise<Exchange[]> => {
  const exchanges: Exchange[] = []
  const read = async (path: string) => {
    const { reply, exchange } = await side.read(path)
    exchanges.push(exchange)
    return reply.body?.data
  }
  for (const path of [...LISTS, ...FILTERS])
    for (let page = 1, last = 1; page <= last; page++) {
      const data = await read(`${path}${path.includes('?') ? '&' : '?'}page_size=${PAGE}&page=${page}`)
      last = data?.pagination?.last_page ?? 1
    }
  for (const path of WHOLE) await read(path)
  return exchanges
}
