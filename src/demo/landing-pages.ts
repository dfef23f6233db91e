import { slugify } from '../core/input/normalize-text.ts'
import type { Language } from './catalogue/product.ts'
import type { Product } from './products.ts'
import { DAY, seededId, TODAY } from './random.ts'
import { OFFERS_DOMAIN, STORE } from './store.ts'

interface Page {
  sku: string
  title: string
  lang: Language | null
  cod: 'checkout' | 'popup' | 'embedded'
  about?: string
  published?: boolean
  onOffersDomain?: boolean
  screenshot?: boolean
}

const pages: Page[] = [
  {
    sku: 'MUG-SBS',
    title: 'Two mugs, one delivery',
    lang: 'en',
    cod: 'checkout',
    about: 'Buy two Sidi Bou Said mugs and pay on delivery.',
    published: true,
    onOffersDomain: true,
    screenshot: true,
  },
  {
    sku: 'FOUTA',
    title: 'The fouta summer sale',
    lang: 'en',
    cod: 'popup',
    about: 'Four colours, one price, until the end of August.',
    published: true,
    screenshot: true,
  },
  {
    sku: 'LAMP-CAR',
    title: 'A light for the bedside',
    lang: 'en',
    cod: 'embedded',
    about: 'The Carthage lamp, delivered to your door.',
    published: true,
  },
  { sku: 'CANDLE', title: 'Candles: three scents to try', lang: 'en', cod: 'checkout' },
  {
    sku: 'HUILE',
    title: 'Huile nouvelle : la récolte est arrivée',
    lang: 'fr',
    cod: 'checkout',
    about: 'Réservez vos bidons de la première pression.',
    published: true,
    onOffersDomain: true,
    screenshot: true,
  },
  {
    sku: 'COCOTTE-24',
    title: 'La cocotte qui fait tout',
    lang: 'fr',
    cod: 'popup',
    about: 'Paiement à la livraison partout en Tunisie.',
    published: true,
  },
  {
    sku: 'MARGOUM',
    title: 'Margoums de Kairouan : arrivage limité',
    lang: 'fr',
    cod: 'embedded',
    about: 'Quatre pièces par taille, certifiées.',
    onOffersDomain: true,
  },
  {
    sku: 'HRISSA',
    title: 'هريسة القيروان إلى باب الدار',
    lang: 'ar',
    cod: 'checkout',
    about: 'ثلاث علب بثمن اثنتين والدفع عند الاستلام.',
    published: true,
    onOffersDomain: true,
    screenshot: true,
  },
  {
    sku: 'FANOUS-N',
    title: 'فوانيس رمضان',
    lang: 'ar',
    cod: 'popup',
    about: 'أنر بيتك في الشهر الكريم.',
    published: true,
    screenshot: true,
  },
  { sku: 'KAS-SHAY', title: 'كؤوس الشاي', lang: null, cod: 'embedded' },
]

/** A page on which one product is offered. */
export interface LandingPage {
  id: string
  product: Product
  screenshot: boolean
  at: number
}

/** `screenshotUrl` gives the address of a page's picture, for the pages that have one. */
export const makePages = (products: Product[], screenshotUrl: (product: Product) => string) => {
  const made = pages.map((page, index) => {
    const product = products.find(({ note }) => note.sku === page.sku) as Product
    const at = TODAY - (400 - index * 11) * DAY
    return { page, product, at, id: seededId('landing page', page.sku, at) }
  })
  const rows = made.map(({ page, product, at, id }, index) => ({
    store_id: STORE.id,
    id,
    title: page.title,
    slug: slugify(page.title),
    meta_description: page.about ?? null,
    product_id: product.id,
    domain_id: page.onOffersDomain ? OFFERS_DOMAIN : null,
    screenshot_url: page.screenshot ? screenshotUrl(product) : null,
    lang: page.lang,
    cod_type: page.cod,
    published_at: page.published ? new Date(at + DAY) : null,
    created_at: new Date(at),
    updated_at: new Date(at + (index + 2) * DAY),
  }))
  const landingPages: LandingPage[] = made.map(({ page, product, at, id }) => ({
    id,
    product,
    at,
    screenshot: page.screenshot ?? false,
  }))
  return { landingPages, rows }
}
