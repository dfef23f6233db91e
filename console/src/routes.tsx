import {
  BadgePercent,
  Blocks,
  Boxes,
  ChartLine,
  CodeXml,
  CreditCard,
  House,
  Images,
  LayoutGrid,
  LayoutTemplate,
  Package,
  PhoneCall,
  PhoneMissed,
  ReceiptText,
  ScrollText,
  Server,
  Settings,
  Shirt,
  Star,
  Store,
  Tags,
  Truck,
  UserCog,
  Users,
  UsersRound,
  Warehouse,
} from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Account } from './api/console.ts'
import type { ListSource } from './components/list-query.ts'
import { loadablePage } from './components/loadable.tsx'
import type { Messages } from './messages/messages.ts'
import { ORDERS } from './pages/orders/source.ts'

/** A page of a store. One entry makes its route, its place in the navigation, its shortcut and its line in the palette. */
export interface StorePage {
  /** Below `/s/:store`. */
  path: string
  page: ComponentType & { preload: () => Promise<unknown> }
  /** What a list shows: asked for before the page is drawn, if it opens first. */
  list?: ListSource<unknown>
  /** Without this permission the page says so, and the navigation leaves it out. */
  permission?: string
  /** The same, if any of several is enough. */
  anyOf?: readonly string[]
  /** Left out of the navigation of staff; the page itself says why. */
  ownersOnly?: boolean
  /** Pages that are reached from others have none. */
  navigation?: { label: (messages: Messages) => string; icon: ReactNode; key: string }
}

const home = loadablePage(() => import('./pages/home/HomePage.tsx'))
const orders = loadablePage(() => import('./pages/orders/OrdersPage.tsx'))
const confirm = loadablePage(() => import('./pages/confirm/ConfirmPage.tsx'))
const parcels = loadablePage(() => import('./pages/parcels/CarriersPage.tsx'))
const parcelList = loadablePage(() => import('./pages/parcels/ParcelsPage.tsx'))
const parcelResults = loadablePage(() => import('./pages/parcels/ResultsPage.tsx'))
const print = loadablePage(() => import('./pages/orders/PrintPage.tsx'))
const newOrder = loadablePage(() => import('./pages/orders/NewOrderPage.tsx'))
const order = loadablePage(() => import('./pages/orders/OrderPage.tsx'))
const products = loadablePage(() => import('./pages/products/ProductsPage.tsx'))
const product = loadablePage(() => import('./pages/products/ProductPage.tsx'))
const categories = loadablePage(() => import('./pages/categories/CategoriesPage.tsx'))
const customers = loadablePage(() => import('./pages/customers/CustomersPage.tsx'))
const customer = loadablePage(() => import('./pages/customers/CustomerPage.tsx'))
const landingPages = loadablePage(() => import('./pages/landing-pages/LandingPagesPage.tsx'))
const landingPage = loadablePage(() => import('./pages/landing-pages/LandingPagePage.tsx'))
const analytics = loadablePage(() => import('./pages/analytics/AnalyticsPage.tsx'))
const bundles = loadablePage(() => import('./pages/bundles/BundlesPage.tsx'))
const abandoned = loadablePage(() => import('./pages/abandoned/AbandonedPage.tsx'))
const inventory = loadablePage(() => import('./pages/inventory/InventoryPage.tsx'))
const importPage = loadablePage(() => import('./pages/transfer/ImportPage.tsx'))
const files = loadablePage(() => import('./pages/files/FilesPage.tsx'))
const settings = loadablePage(() => import('./pages/settings/SettingsPage.tsx'))
const people = loadablePage(() => import('./pages/people/PeoplePage.tsx'))
const apps = loadablePage(() => import('./pages/apps/AppsPage.tsx'))
const app = loadablePage(() => import('./pages/apps/AppPage.tsx'))
const openApp = loadablePage(() => import('./pages/apps/OpenAppPage.tsx'))
const plan = loadablePage(() => import('./pages/plan/PlanPage.tsx'))
const invoice = loadablePage(() => import('./pages/invoices/InvoicePage.tsx'))
const stores = loadablePage(() => import('./pages/operator/StoresPage.tsx'))
const accounts = loadablePage(() => import('./pages/operator/AccountsPage.tsx'))
const system = loadablePage(() => import('./pages/operator/SystemPage.tsx'))
const allApps = loadablePage(() => import('./pages/operator/AppsPage.tsx'))
const plans = loadablePage(() => import('./pages/operator/PlansPage.tsx'))
const invoices = loadablePage(() => import('./pages/operator/InvoicesPage.tsx'))
const audit = loadablePage(() => import('./pages/operator/AuditPage.tsx'))
const developer = loadablePage(() => import('./pages/developer/DeveloperPage.tsx'))
const log = loadablePage(() => import('./pages/calls/LogPage.tsx'))
const call = loadablePage(() => import('./pages/calls/CallPage.tsx'))
const errors = loadablePage(() => import('./pages/calls/ErrorsPage.tsx'))
const permissions = loadablePage(() => import('./pages/calls/PermissionsPage.tsx'))
const retries = loadablePage(() => import('./pages/calls/RetriesPage.tsx'))
const events = loadablePage(() => import('./pages/events/EventsPage.tsx'))
const event = loadablePage(() => import('./pages/events/EventPage.tsx'))
const playground = loadablePage(() => import('./pages/playground/PlaygroundPage.tsx'))
const webhooks = loadablePage(() => import('./pages/webhooks/WebhooksPage.tsx'))
const webhook = loadablePage(() => import('./pages/webhooks/WebhookPage.tsx'))
const reviews = loadablePage(() => import('./pages/reviews/ReviewsPage.tsx'))

const APPS = ['app:install', 'app:uninstall', 'app:boot']

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
  {
    path: '/confirm',
    page: confirm,
    permission: 'order:update',
    navigation: { label: ({ shell }) => shell.confirm, icon: <PhoneCall />, key: 'q' },
  },
  {
    path: '/abandoned',
    page: abandoned,
    permission: 'order:view',
    navigation: { label: ({ shell }) => shell.abandoned, icon: <PhoneMissed />, key: 'd' },
  },
  {
    path: '/deliveries',
    page: parcels,
    permission: 'order:view',
    navigation: { label: ({ shell }) => shell.deliveries, icon: <Truck />, key: 'g' },
  },
  { path: '/deliveries/list', page: parcelList, permission: 'order:view' },
  { path: '/deliveries/import', page: parcelResults, permission: 'order:update' },
  { path: '/orders/print', page: print, permission: 'order:view' },
  { path: '/orders/new', page: newOrder, permission: 'order:create' },
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
    path: '/inventory',
    page: inventory,
    permission: 'product:view',
    navigation: { label: ({ shell }) => shell.inventory, icon: <Warehouse />, key: 'i' },
  },
  {
    path: '/bundles',
    page: bundles,
    permission: 'bundle:view',
    navigation: { label: ({ shell }) => shell.bundles, icon: <Boxes />, key: 'b' },
  },
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
  { path: '/import', page: importPage, anyOf: ['product:create', 'customer:create'] },
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
    path: '/analytics',
    page: analytics,
    permission: 'analytic:view',
    navigation: { label: ({ shell }) => shell.analytics, icon: <ChartLine />, key: 'y' },
  },
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
  {
    path: '/apps',
    page: apps,
    anyOf: APPS,
    navigation: { label: ({ apps }) => apps.title, icon: <Blocks />, key: 'a' },
  },
  { path: '/apps/:client', page: app, anyOf: APPS },
  { path: '/apps/:client/open', page: openApp, permission: 'app:boot' },
  {
    path: '/plan',
    page: plan,
    anyOf: ['plan:switch', 'invoice:view'],
    navigation: { label: ({ plans }) => plans.title, icon: <CreditCard />, key: 'n' },
  },
  { path: '/invoices/:id', page: invoice, permission: 'invoice:view' },
]

/** Whether somebody may see a page of a store. */
export const isAllowed = ({ permission, anyOf }: StorePage, can: (permission: string) => boolean) =>
  (!permission || can(permission)) && (!anyOf || anyOf.some(can))

/** A page outside a store, for those who run the service or develop apps on it. Others are told that it does not exist. */
interface ServicePage {
  /** Below the console. */
  path: string
  page: ComponentType & { preload: () => Promise<unknown> }
  /** `developer`: of any app. The API decides which apps somebody sees. Operators see every page. */
  who: 'operator' | 'developer'
  /** Pages that are reached from others have none. Keys differ from those of a store's pages. */
  navigation?: StorePage['navigation']
}

/** All pages outside a store, in the order of the navigation. */
export const SERVICE_PAGES: readonly ServicePage[] = [
  {
    path: '/stores',
    page: stores,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.stores, icon: <Store />, key: 'v' },
  },
  {
    path: '/people',
    page: accounts,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.accounts, icon: <UsersRound />, key: 'u' },
  },
  {
    path: '/apps',
    page: allApps,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.allApps, icon: <LayoutGrid />, key: 'x' },
  },
  {
    path: '/plans',
    page: plans,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.plans, icon: <BadgePercent />, key: 'z' },
  },
  {
    path: '/invoices',
    page: invoices,
    who: 'operator',
    navigation: { label: ({ plans }) => plans.invoices, icon: <ReceiptText />, key: 'j' },
  },
  {
    path: '/activity',
    page: audit,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.audit, icon: <ScrollText />, key: 'w' },
  },
  {
    path: '/system',
    page: system,
    who: 'operator',
    navigation: { label: ({ shell }) => shell.systemPage, icon: <Server />, key: 'm' },
  },
  {
    path: '/developer',
    page: developer,
    who: 'developer',
    navigation: { label: ({ shell }) => shell.developer, icon: <CodeXml />, key: 'k' },
  },
  { path: '/apps/:id/log', page: log, who: 'developer' },
  { path: '/apps/:id/log/:request', page: call, who: 'developer' },
  { path: '/apps/:id/errors', page: errors, who: 'developer' },
  { path: '/apps/:id/permissions', page: permissions, who: 'developer' },
  { path: '/apps/:id/retries', page: retries, who: 'developer' },
  { path: '/apps/:id/webhooks', page: webhooks, who: 'developer' },
  { path: '/apps/:id/webhooks/:webhook', page: webhook, who: 'developer' },
  { path: '/apps/:id/events', page: events, who: 'developer' },
  { path: '/apps/:id/events/:event', page: event, who: 'developer' },
  { path: '/apps/:id/playground', page: playground, who: 'developer' },
]

export const maySee = ({ who }: ServicePage, { is_operator, is_developer }: Account) =>
  is_operator || (who === 'developer' && is_developer)

const isAt = (path: string) => {
  const segments = path.split('/')
  return ({ path }: { path: string }) => {
    const pattern = path.split('/')
    return (
      pattern.length === segments.length && pattern.every((part, n) => part.startsWith(':') || part === segments[n])
    )
  }
}

/** The page at this path below `/s/:store`. */
export const pageAt = (path: string) => STORE_PAGES.find(isAt(path))

/** The page outside a store at this path. */
export const servicePageAt = (path: string) => SERVICE_PAGES.find(isAt(path))
