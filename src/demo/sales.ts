import { type Thousandths, thousandths } from '../core/input/money.ts'
import { generateRef, orderTotals, type Totals } from '../resources/orders/rules.ts'
import type { OrderStatus } from '../resources/orders/schema.ts'
import type { LandingPage } from './landing-pages.ts'
import type { Person } from './names-and-places.ts'
import type { Product, Variant } from './products.ts'
import { DAY, HOUR, MINUTE, SeededRandom, seededId, TODAY } from './random.ts'
import { paymentRows, STORE } from './store.ts'

export interface SaleLine {
  id: string
  product: Product
  variant: Variant
  quantity: number
}

interface Charges {
  shipping_rate: number
  shipping_name: string | null
  discount: number
  discount_code: string | null
  tip_type: 'percent' | 'fixed' | null
  tip_value: number
  bundle_name: string | null
  bundle_option_name: string | null
  bundle_price: number | null
  fee: number
}

type Payment = 'cod' | 'card' | 'transfer' | 'wallet'

/** What was bought, by whom and how. fulfilment.ts adds what happens afterwards. */
export interface Sale {
  id: string
  ref: string
  at: number
  buyer: Person
  payer: Person
  /** False for a guest without an email. */
  known: boolean
  lines: SaleLine[]
  charges: Charges
  totals: Totals
  payment: Payment | null
  card: { brand: string; last4: string } | null
  abandoned: boolean
  page: LandingPage | null
  source: string | null
  meta: Record<string, unknown>
}

const PERIOD = 365 * DAY
const KNOWN_BUYERS = 185

/** Sales grow over the year and pause at night. */
const drawTime = (random: SeededRandom) => {
  const day = Math.floor((PERIOD * Math.sqrt(random.next())) / DAY) * DAY
  const hour = random.weighted({ 9: 2, 11: 3, 13: 4, 16: 3, 18: 5, 20: 7, 21: 6, 22: 3 })
  return TODAY - PERIOD - 18 * HOUR + day + Number(hour) * HOUR + random.below(60 * 60) * 1000
}

const lineOf = (order: string, at: number, product: Product, quantity: number, random: SeededRandom): SaleLine => {
  const variant = random.pick(product.variants)
  return { id: seededId('line', `${order} ${variant.sku}`, at), product, variant, quantity }
}

const drawLines = (order: string, at: number, products: Product[], page: LandingPage | null, random: SeededRandom) => {
  const lines = page ? [lineOf(order, at, page.product, random.between(1, 2), random)] : []
  const wanted = Number(random.weighted({ 1: 48, 2: 30, 3: 15, 4: 7 }))
  while (lines.length < wanted) {
    const product = random.pick(products)
    if (lines.some((line) => line.product === product)) continue
    const most = product.note.downloads || product.note.price > 200 ? 1 : 3
    lines.push(lineOf(order, at, product, random.between(1, most), random))
  }
  return lines
}

export const isDigital = ({ product }: SaleLine) => product.note.downloads !== undefined

export const BUNDLES = [
  { name: 'Breakfast for two', option: 'Two pieces, 10 % off', units: 2, percent: 10n },
  { name: 'Lot famille', option: 'Quatre pièces, -15 %', units: 4, percent: 15n },
  { name: 'عرض العائلة', option: 'ثلاث قطع بخصم 12 %', units: 3, percent: 12n },
]

const dinars = (amount: Thousandths) => Number(amount) / 1000

const subtotalOf = (lines: SaleLine[]) =>
  lines.reduce((sum, { variant, quantity }) => sum + variant.price * BigInt(quantity), 0n)

const NO_DISCOUNT = {
  discount: 0,
  discount_code: null,
  bundle_name: null,
  bundle_option_name: null,
  bundle_price: null,
}

/** Discounts: a bundle of several units of one product, or a code for any product. */
const drawDiscount = (lines: SaleLine[], random: SeededRandom) => {
  const [line] = lines
  if (line && lines.length === 1 && !isDigital(line) && line.variant.price < 100_000n && random.chance(0.15)) {
    const bundle = random.pick(BUNDLES)
    line.quantity = bundle.units
    const subtotal = subtotalOf(lines)
    const discount = (subtotal * bundle.percent) / 100n
    return {
      ...NO_DISCOUNT,
      discount: dinars(discount),
      bundle_name: bundle.name,
      bundle_option_name: bundle.option,
      bundle_price: dinars(subtotal - discount),
    }
  }
  if (!random.chance(0.16)) return NO_DISCOUNT
  const code = random.pick(['WELCOME10', 'JASMIN5', 'RAMADAN15'])
  const subtotal = subtotalOf(lines)
  const percent = code === 'WELCOME10' ? 10n : 15n
  const discount = code === 'JASMIN5' ? 5_000n : (subtotal * percent) / 100n
  return { ...NO_DISCOUNT, discount: dinars(discount), discount_code: code }
}

const SHIPPING = { en: 'Standard delivery', fr: 'Livraison standard', ar: 'توصيل عادي' }
const FREE_FROM = 250_000n

const drawShipping = (buyer: Person, lines: SaleLine[], random: SeededRandom) => {
  if (lines.every(isDigital)) return { shipping_rate: 0, shipping_name: null }
  if (buyer.country !== 'TN')
    return { shipping_rate: random.pick([38.5, 45, 62]), shipping_name: 'International express' }
  return { shipping_rate: subtotalOf(lines) >= FREE_FROM ? 0 : 7, shipping_name: SHIPPING[buyer.language] }
}

const drawTip = (random: SeededRandom) => {
  if (!random.chance(0.1)) return { tip_type: null, tip_value: 0 }
  return random.chance(0.5)
    ? { tip_type: 'percent' as const, tip_value: random.pick([2.5, 5, 7.5]) }
    : { tip_type: 'fixed' as const, tip_value: random.pick([1, 2, 5]) }
}

const drawPayment = (lines: SaleLine[], random: SeededRandom): Payment =>
  lines.every(isDigital) ? 'card' : random.weighted({ cod: 56, card: 30, transfer: 11, wallet: 3 })

const CARDS = ['visa', 'mastercard', 'amex']

const SOURCES = ['instagram', 'facebook', 'tiktok', 'google', 'newsletter']
const NOTES = ['Please ring twice.', 'Paquet cadeau, merci.', 'اتصل قبل التوصيل من فضلك', 'Laisser chez la gardienne.']

const drawMeta = (channel: string, random: SeededRandom): Record<string, unknown> =>
  random.chance(0.35)
    ? {}
    : {
        channel,
        ...(random.chance(0.3) && { note: random.pick(NOTES) }),
        ...(random.chance(0.15) && { gift: true }),
        ...(random.chance(0.2) && {
          utm: { campaign: random.pick(['autumn', 'ramadan', 'summer']), medium: 'social' },
        }),
      }

/** The page of the storefront that the shopper came from, if known. */
const drawSource = (channel: string, [line]: SaleLine[], random: SeededRandom) =>
  line && random.chance(0.65)
    ? `https://${STORE.domain}/products/${encodeURIComponent(line.product.slug)}?utm_source=${channel}`
    : null

const drawPage = (pages: LandingPage[], at: number, random: SeededRandom) => {
  const page = random.pick(pages)
  return random.chance(0.18) && page.at < at ? page : null
}

interface Shop {
  products: Product[]
  pages: LandingPage[]
  customers: Person[]
  strangers: Person[]
}

const drawSale = ({ products, pages, customers, strangers }: Shop, at: number, index: number): Sale => {
  const random = new SeededRandom(`order ${index}`)
  const id = seededId('order', index, at)
  const known = !random.chance(0.03)
  const stranger = random.pick(strangers)
  const regular = customers[Math.floor(KNOWN_BUYERS * random.next() ** 1.5)] as Person
  const buyer = known ? regular : { ...stranger, email: '' }
  const page = drawPage(pages, at, random)
  const lines = drawLines(id, at, products, page, random)
  const abandoned = random.chance(0.12)
  const payment = abandoned ? null : drawPayment(lines, random)
  const charges = {
    ...drawDiscount(lines, random),
    ...drawShipping(buyer, lines, random),
    ...drawTip(random),
    fee: payment === 'cod' ? 1.5 : 0,
  }
  const channel = random.pick(SOURCES)
  const priced = lines.map(({ variant, quantity }) => ({ price: variant.price, quantity }))
  return {
    id,
    ref: generateRef(random.below),
    at,
    buyer,
    payer: random.chance(0.12) ? stranger : buyer,
    known,
    lines,
    charges,
    totals: orderTotals({ lines: priced, ...charges }),
    payment,
    card: payment === 'card' || payment === 'wallet' ? { brand: random.pick(CARDS), last4: random.digits(4) } : null,
    abandoned,
    page,
    source: drawSource(channel, lines, random),
    meta: drawMeta(channel, random),
  }
}

/** Sorted by date. */
export const makeSales = (shop: Shop, count: number): Sale[] => {
  const random = new SeededRandom('times of orders')
  const times = Array.from({ length: count }, () => drawTime(random)).sort((a, b) => a - b)
  return times.map((at, index) => drawSale(shop, at, index))
}

export const paymentMethodOf = ({ payment }: Sale) =>
  payment === null ? null : (paymentRows[['cod', 'card', 'transfer', 'wallet'].indexOf(payment)]?.id ?? null)

/** How long carriers keep the cash that they have collected. */
const CASH_AFTER = 3 * DAY

/** When the order was paid, if at all: by card at once, by transfer days later, in cash some days after the delivery. */
export const paidAt = ({ payment, at }: Sale, deliveredAt: number | undefined): number | null => {
  if (payment === 'card' || payment === 'wallet') return at + 2 * MINUTE
  const later = payment === 'transfer' ? at + 40 * HOUR : payment === 'cod' && deliveredAt && deliveredAt + CASH_AFTER
  return later && later < TODAY ? later : null
}

export const statusOf = (sale: Sale, paid: number | null): OrderStatus =>
  sale.abandoned ? 'abandoned' : paid === null ? 'pending' : 'paid'

/** What is left of a line's price once the order's discount is spread over its lines. */
export const paidFor = ({ totals, charges }: Sale, { variant }: SaleLine, quantity: number): Thousandths => {
  const full = variant.price * BigInt(quantity)
  return (full * (totals.subtotal - thousandths(charges.discount))) / totals.subtotal
}
