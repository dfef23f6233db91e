import { House, Images, LayoutTemplate, Package, Settings, Shirt, Star, Tags, UserCog, Users } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { ListSource } from './components/list-query.ts'
import { loadable } from './components/loadable.tsx'
import type { Messages } from './messages/messages.ts'
import { ORDERS } from './pages/orders/source.ts'

/** A page of a store. One entry makes its route, its place in the navigation, its shortcut and its line in the palette. */
interface StorePage {
  /** Below `/s/:store`. */
  path: string
  page: ComponentType & { preload: () => Promise<unknown> }
  /** What a list shows: asked for before the page is drawn, if it opens first. */
  list?: ListSource<unknown>
  /** Without this permission the page says so, and the navigation leaves it out. */
  permission?: string
  /** Left out of the navigation of staff; the page itself says why. */
  ownersOnly?: boolean
  /** Pages that are reached from others have none. */
  navigation?: { label: (messages: Messages) => string; icon: ReactNode; key: string }
}

const home = loadable(() => import('./pages/home/HomePage.tsx'))
const orders = loadable(() => import('./pages/orders/OrdersPage.tsx'))
const print = loadable(() => import('./pages/orders/PrintPage.tsx'))
const order = loadable(() => import('./pages/orders/OrderPage.tsx'))
const products = loadable(() => import('./pages/products/ProductsPage.tsx'))
const product = loadable(() => import('./pages/products/ProductPage.tsx'))
const categories = loadable(() => import('./pages/categories/CategoriesPage.tsx'))
const customers = loadable(() => import('./pages/customers/CustomersPage.tsx'))
const customer = loadable(() => import('./pages/customers/CustomerPage.tsx'))
const landingPages = loadable(() => import('./pages/landing-pages/LandingPagesPage.tsx'))
const landingPage = loadable(() => import('./pages/landing-pages/LandingPagePage.tsx'))
const files = loadable(() => import('./pages/files/FilesPage.tsx'))
const settings = loadable(() => import('./pages/settings/SettingsPage.tsx'))
const people = loadable(() => import('./pages/people/PeoplePage.tsx'))
const reviews = loadable(() => import('./pages/reviews/ReviewsPage.tsx'))

/** All pages of a store, in the order of the navigation. A store opens with the first one. */
export const STORE_PAGES: readonly StorePage[] = [
  { path: '', page: home, navigation: { label: ({ home }) => home.title, icon: <House />, key: 'h' } },
  {
    path: '/orders',
    page: orders,
    list: ORDERS as ListSource<unknown>,
    permission: 'order:view',
    navigation: { label: ({ shell }) => shell.orders, icon: <Package />, key: 'o' },
  },
  { path: '/orders/print', page: print, permission: 'order:view' },
  { path: '/orders/:id', page: order, permission: 'order:view' },
  {
    path: '/products',
    page: products,
    permission: 'product:view',
    navigation: { label: ({ products }) => products.title, icon: <Shirt />, key: 'p' },
  },
  { path: '/products/new', page: product, permission: 'product:create' },
  { path: '/products/:id', page: product, permission: 'product:view' },
  {
    path: '/categories',
    page: categories,
    permission: 'product:view',
    navigation: { label: ({ products }) => products.categories, icon: <Tags />, key: 't' },
  },
  {
    path: '/customers',
    page: customers,
    permission: 'customer:view',
    navigation: { label: ({ customers }) => customers.title, icon: <Users />, key: 'c' },
  },
  { path: '/customers/:id', page: customer, permission: 'customer:view' },
  {
    path: '/reviews',
    page: reviews,
    permission: 'review:view',
    navigation: { label: ({ reviews }) => reviews.title, icon: <Star />, key: 'r' },
  },
  {
    path: '/landing-pages',
    page: landingPages,
    permission: 'landing_page:view',
    navigation: { label: ({ landingPages }) => landingPages.title, icon: <LayoutTemplate />, key: 'l' },
  },
  { path: '/landing-pages/:id', page: landingPage, permission: 'landing_page:view' },
  {
    path: '/files',
    page: files,
    permission: 'file:browse',
    navigation: { label: ({ files }) => files.title, icon: <Images />, key: 'f' },
  },
  {
    path: '/settings',
    page: settings,
    permission: 'setting:view',
    navigation: { label: ({ settings }) => settings.title, icon: <Settings />, key: 's' },
  },
  {
    path: '/people',
    page: people,
    ownersOnly: true,
    navigation: { label: ({ people }) => people.title, icon: <UserCog />, key: 'e' },
  },
]

/** The page at this path below `/s/:store`. */
export const pageAt = (path: string) => {
  const segments = path.split('/')
  const isMatch = (pattern: string[]) =>
    pattern.length === segments.length && pattern.every((part, n) => part.startsWith(':') || part === segments[n])
  return STORE_PAGES.find(({ path }) => isMatch(path.split('/')))
}
