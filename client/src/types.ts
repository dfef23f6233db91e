// Written from openapi.json by scripts/client-types.mjs. To change it, change the server's schemas.
import type { JsonLines } from './json-lines.ts'
import type { Upload } from './multipart-body.ts'

/** An ISO 8601 date or date-time, Unix seconds, or a Date. */
export type DateBound = string | number | Date

export interface AnalyticPeriod {
  from: string
  /** Exclusive. */
  to: string
  /** Of the store. */
  time_zone: string
  interval: 'hour' | 'day' | 'week' | 'month'
}

export interface App {
  id: string
  client_id: string
  created_at: string
}

export interface AppInstallation {
  install_id: string
  store: string
  permissions: string[]
  created_at: string
  removed_at: string | null
}

export interface BulkJob {
  id: string
  resource: 'product' | 'category' | 'bundle' | 'order' | 'customer' | 'review' | 'landing_page'
  mode: 'create' | 'upsert' | 'update'
  match: 'id' | 'slug' | 'sku' | 'name' | 'ref' | 'email' | null
  /** true: every line is tried and rolled back. */
  dry_run: boolean
  status: 'receiving' | 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
  error: string | null
  /** Size of the input. */
  bytes: number
  counts: {
    /** Lines of the input, without blank ones. */
    lines: number
    done: number
    created: number
    updated: number
    failed: number
  }
  lines_per_second: number | null
  estimated_end: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface Bundle {
  id: string
  product_id: string
  name: string
  status: 'active' | 'inactive'
  options: {
    id: string
    /** Unique in the bundle. */
    name: string
    /** Units of the product. */
    quantity: number
    /** Price of all units together. */
    price: number
  }[]
  created_at: string
  updated_at: string
}

export interface CarrierParcels {
  shipping_carrier: ShippingCarrier
  /** Parcels that changed in the period, by state. */
  parcels: {
    /** Parcels that are unfulfilled. */
    unfulfilled: number
    /** Parcels that are fulfilled. */
    fulfilled: number
    /** Parcels that are shipped. */
    shipped: number
    /** Parcels that are delivered. */
    delivered: number
    /** Parcels that are returning. */
    returning: number
    /** Parcels that are returned. */
    returned: number
    /** Parcels that are cancelled. */
    cancelled: number
  }
  /** One entry per currency. */
  cash: {
    currency: string
    /** Collected and not paid yet, whenever that was. */
    owed: number
    owed_parcels: number
    owed_since: string | null
    /** Paid by the carrier in the period. */
    received: number
    received_parcels: number
  }[]
}

export interface CarrierResult {
  tracking_number: string
  result: 'shipped' | 'delivered' | 'returning' | 'returned'
  parcel_id: string | null
  order_id: string | null
  order_ref: string | null
  previous_state: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'returning' | 'returned' | 'cancelled' | null
  state: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'returning' | 'returned' | 'cancelled' | null
  /** Why the line was refused, by field. Empty if it was applied, or had been before. */
  errors: Record<string, string[]>
}

export interface Category {
  id: string
  name: string
}

export interface Country {
  /** ISO 3166-1 alpha-2. */
  id: string
  code: string
  iso3: string
  name: string
  phone_code: string
  /** ISO 4217. */
  currency: string
}

export interface Customer {
  id: string
  name: string
  email: string
  phone: string | null
  address: string | null
  city: string | null
  postal_code: string | null
  country_id: string | null
  created_at: string
  updated_at: string
  country: Country | null
  order_count: number
  /** Sum of the paid orders. */
  amount_spent: number
  latest_order: Order | null
  subscription_status: 'subscribed' | 'not_subscribed'
}

export interface Delivery {
  id: string
  status: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled'
  tracking_number: string | null
  tracking_link: string | null
  shipping_carrier: ShippingCarrier | null
  /** The lines, with the units in this delivery. */
  order_variants: OrderVariant[]
}

export interface Domain {
  id: string
  /** The host name as in URLs: ASCII, in lower case. */
  host: string
  /** The host name as people read it. */
  unicode_host: string
  /** Whether links of orders, and of landing pages without a domain of their own, use it. */
  is_primary: boolean
  created_at: string
  updated_at: string
}

export interface ErrorBody {
  /** Machine-readable error code. */
  code: string
  /** Human-readable description of the error. */
  message: string
  /** Dotted path of each invalid field to its error messages. */
  errors: Record<string, string[]>
}

export interface Event {
  /** The same whenever and however the event is delivered. */
  id: string
  /** What happened to which kind of resource. */
  type:
    | 'category.created'
    | 'category.updated'
    | 'category.deleted'
    | 'file.created'
    | 'file.updated'
    | 'file.deleted'
    | 'shipping_carrier.created'
    | 'shipping_carrier.updated'
    | 'shipping_carrier.deleted'
    | 'payment_method.created'
    | 'payment_method.updated'
    | 'payment_method.deleted'
    | 'domain.created'
    | 'domain.updated'
    | 'domain.deleted'
    | 'policy.created'
    | 'policy.updated'
    | 'policy.deleted'
    | 'product.created'
    | 'product.updated'
    | 'product.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.deleted'
    | 'customer.created'
    | 'customer.updated'
    | 'customer.deleted'
    | 'review.created'
    | 'review.updated'
    | 'review.deleted'
    | 'landing_page.created'
    | 'landing_page.updated'
    | 'landing_page.deleted'
    | 'order.created'
    | 'order.updated'
    | 'order.deleted'
    | 'order.confirmed'
    | 'order.refused'
    | 'app.installed'
    | 'app.permissions_changed'
    | 'app.uninstalled'
    | 'app.disabled'
    | 'webhook.failing'
    | 'webhook.paused'
    | 'webhook.test'
    | 'setting.changed'
    | 'plan.switched'
    | 'plan.limit_near'
    | 'plan.limit_reached'
    | 'invoice.created'
    | 'invoice.paid'
    | 'invoice.voided'
  /** When it happened. Never earlier than that of the event before. */
  timestamp: string
  /** Place in the feed of the store, from 1. Positions have no gaps. 0 in a `webhook.test`. */
  position: number
  store_id: string
  /** What the event is about. */
  resource: {
    kind:
      | 'category'
      | 'file'
      | 'shipping_carrier'
      | 'payment_method'
      | 'domain'
      | 'policy'
      | 'product'
      | 'bundle'
      | 'customer'
      | 'review'
      | 'landing_page'
      | 'order'
      | 'app'
      | 'webhook'
      | 'setting'
      | 'plan'
      | 'invoice'
    id: string
  }
  /** Of an update: the fields that changed, such as `status`, or `variants.quantity` for a field of its parts. */
  changed: string[]
  /** Of an update: states, numbers and flags before the change, such as `{"status": "pending"}`. Fields of a part have its id: `variants.ID.quantity`. Never contains personal data. */
  previous: Record<string, unknown>
  app: {
    id: string
    name: string | null
  } | null
  /** Who made the change: the app, the person in the console or behind an assistant, and `via` if an assistant made it. */
  by: {
    app: {
      id: string
      name: string | null
    } | null
    account: {
      id: string
      name: string | null
    } | null
    via: 'assistant' | null
  }
  /** When `data` was read: never before the change. */
  as_of: string
  /** The resource as its GET shows it now. Only its `id` if it has been deleted, and with `payload=thin`. */
  data: {
    id: string
  }
}

export interface StoredFile {
  id: string
  name: string
  size: number
  alt: string
  mime_type: string
  created_at: string
  updated_at: string
  /** Signed, and expires. Empty if the file is or was sold as a digital product and the caller lacks `file:browse`. */
  url: string
  /** Never changes. Public while something public shows the file: an image of a product, variant or landing page, a video of a product, an image of a published review. Otherwise, and always once the file was sold as a digital product, it needs a token with `file:browse`. */
  permanent_url: string
  thumbnail: string | null
}

export interface FileDeletion {
  id: string
  /** Only `deleted` has changed anything. */
  result: 'deleted' | 'in_use' | 'not_found'
  /** The first 5 that use the file. Empty if the caller lacks `file:browse`. */
  links: FileLink[]
}

export interface FileLink {
  /** `store` for the logo, which the settings name. */
  fileable_type: 'product' | 'variant' | 'landing_page' | 'review' | 'policy' | 'store'
  fileable_id: string
  /** `in_text`: the address of the file stands in the description of a product, in the picture or description of a landing page, or in a policy. Nothing is linked; whoever changes the text ends it. */
  role:
    | 'product_images'
    | 'variant_image'
    | 'digital_product'
    | 'landing_page_images'
    | 'review_images'
    | 'ugc_video'
    | 'logo'
    | 'in_text'
  /** Title of the product, landing page or policy, name of the store; of a review, its product. */
  title: string
  product_id: string | null
}

export interface Invoice {
  id: string
  /** Without gaps over all stores of the operator. */
  number: number
  /** `overdue`: open after `due_at`. */
  status: 'open' | 'paid' | 'void' | 'overdue'
  /** Name and address of the operator. */
  seller: string
  store_name: string
  period_start: string
  period_end: string
  lines: {
    text: string
    amount: number
  }[]
  currency: string
  subtotal: number
  tax_percent: number
  tax: number
  total: number
  due_at: string
  paid_at: string | null
  created_at: string
}

export interface LandingPage {
  id: string
  title: string
  slug: string
  meta_description: string | null
  product_id: string
  domain_id: string | null
  created_at: string
  updated_at: string
  product: Product
  /** Public URL of the page, on its own domain or the domain of the store. */
  url: string
  screenshot_url: string | null
  lang: string | null
  cod_type: 'checkout' | 'popup' | 'embedded'
  published_at: string | null
}

export interface LandingPageAnalytics {
  landing_page_id: string
  title: string | null
  /** Orders placed through the page, except abandoned ones. All figures are about these orders. */
  orders: number
  /** How many of them were cancelled. */
  cancelled: number
  /** How many of them are paid and not cancelled. */
  paid: number
  /** Totals of the paid ones. */
  gross: number
  /** Refunds made of the paid ones. */
  refunds: number
  /** `gross` less `refunds`. */
  revenue: number
  /** How many of them have arrived: every delivery is delivered or cancelled, and at least one delivered. */
  delivered: number
  /** Totals of the delivered ones, whether they are marked as paid or not, before refunds. */
  delivered_revenue: number
  paid_rate: number | null
  delivered_rate: number | null
}

export interface LevelAnalytics {
  level: 'good' | 'unknown' | 'careful' | 'bad'
  total: {
    /** Orders placed, except abandoned ones. All figures are about these orders. */
    orders: number
    /** How many of them were cancelled. */
    cancelled: number
    /** How many of them have a delivered parcel and no return. */
    delivered: number
    /** How many of them came back. */
    returned: number
    /** Totals of the delivered ones. */
    delivered_revenue: number
    success_rate: number | null
    delivered_rate: number | null
  }
  series: {
    start: string
    /** Exclusive. */
    end: string
    /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
    label: string
    /** Orders placed, except abandoned ones. All figures are about these orders. */
    orders: number
    /** How many of them were cancelled. */
    cancelled: number
    /** How many of them have a delivered parcel and no return. */
    delivered: number
    /** How many of them came back. */
    returned: number
    /** Totals of the delivered ones. */
    delivered_revenue: number
    success_rate: number | null
    delivered_rate: number | null
  }[]
}

export interface Option {
  id: string
  name: string
  order: number
  values: {
    id: string
    value: string
    order: number
  }[]
}

export interface Order {
  id: string
  /** Short human-readable reference, unique in the store. */
  ref: string
  status: 'pending' | 'paid' | 'abandoned'
  currency: string
  customer_first_name: string
  customer_last_name: string
  customer_name: string
  customer_email: string
  customer_phone: string
  customer_address: string
  customer_city: string
  customer_state: string
  customer_postal_code: string
  customer_id: string | null
  customer_country: Country | null
  billing_first_name: string
  billing_last_name: string
  billing_name: string
  billing_email: string
  billing_phone: string
  billing_address: string
  billing_city: string
  billing_state: string
  billing_postal_code: string
  card_brand: string | null
  card_last4: string | null
  shipping_rate: number
  shipping_name: string | null
  discount: number
  discount_code: string | null
  tip: number
  tip_type: string | null
  tip_value: number
  bundle_name: string | null
  bundle_option_name: string | null
  bundle_price: number | null
  fee: number
  /** Price times quantity over all lines. */
  subtotal: number
  /** Subtotal + shipping + fee + tip − discount, at least 0. */
  total: number
  quantity: number
  is_archived: boolean
  is_cancelled: boolean
  cancelled_at: string | null
  paid_at: string | null
  created_at: string
  updated_at: string
  meta_data: Record<string, unknown>
  payment_method: PaymentMethod | null
  variants: OrderVariant[]
  /** At most 100. */
  deliveries: Delivery[]
  /** At most 100. */
  returns: Return[]
  /** At most 100. */
  refunds: Refund[]
  landing_page: LandingPage | null
  source_link: string | null
  checkout_link: string
  thank_you_link: string
  signals: OrderSignals
  confirmation: OrderConfirmation | null
  /** Status changes, oldest first; the newest 500 entries. */
  history: OrderEvent[]
}

export interface OrderClaim {
  order_id: string
  order_ref: string
  /** The person or the app that has the order. */
  by: string
  /** Whether that is the caller. */
  is_own: boolean
  /** Then it is free again, unless it is claimed again before. */
  until: string
}

/** Whether the customer has confirmed the order. Null: it needs no confirmation. */
export interface OrderConfirmation {
  state: 'waiting' | 'confirmed' | 'no_answer' | 'postponed' | 'refused' | 'cancelled'
  /** How often somebody has recorded a result. */
  attempts: number
  next_at: string | null
  by: string | null
  at: string | null
  note: string | null
}

export interface OrderEvent {
  id: string
  app_id: string | null
  /** The app that made the change. */
  app_name: string
  account_name: string | null
  /** An assistant made it. */
  via?: 'assistant'
  subject:
    | 'status'
    | 'is_cancelled'
    | 'is_archived'
    | 'delivery'
    | 'return'
    | 'refund'
    | 'confirmation'
    | 'note'
    | 'variants'
  /** The order, delivery, return or refund that changed. */
  subject_id: string
  from: string | null
  to: string
  note: string | null
  created_at: string
}

/** What is known about the phone number and the order. The guide says how `level` is decided. */
export interface OrderSignals {
  phone: string | null
  duplicate_of: string | null
  /** Orders of this phone number, without abandoned ones. */
  phone_orders: number
  /** Those that were delivered. */
  phone_delivered: number
  /** Those that came back. */
  phone_returned: number
  /** Those that are on their way or wait. */
  phone_open: number
  first_order: boolean | null
  /** How likely it is that the parcel is accepted. Nothing depends on it. */
  level: 'good' | 'unknown' | 'careful' | 'bad'
  reasons: {
    code:
      | 'mostly_returned'
      | 'often_returned'
      | 'delivered_before'
      | 'invalid_phone'
      | 'duplicate'
      | 'short_address'
      | 'unusual_quantity'
    /** The same in words. */
    text: string
  }[]
}

export interface OrderVariant {
  id: string
  quantity: number
  /** Price of one unit at the time of the order. */
  price: number
  sku: string | null
  title: string
  is_digital: boolean
  /** Option name to chosen value. */
  options: Record<string, string>
  variant: Variant | null
  image_url: string | null
}

export interface OwnInstallation {
  install_id: string
  client_id: string
  store: {
    id: string
    name: string
    domain: string
    currency: string
  }
  permissions: string[]
  /** Required permissions that the store has not granted yet. */
  pending: string[]
}

export interface Pagination {
  total: number | null
  per_page: number
  current_page: number
  last_page: number | null
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null
  /** Of lists that are filtered or sorted by `updated_at`: every change before this time is listed, and none from then on. Pass the one of the first page as the next `updated_from`. */
  updated_until?: string
}

export interface Parcel {
  /** The id of the delivery. */
  id: string
  order_id: string
  order_ref: string
  /** The status of the delivery. `returning` and `returned`: items of it are on their way back, or have been received. */
  state: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'returning' | 'returned' | 'cancelled'
  tracking_number: string | null
  tracking_link: string | null
  shipping_carrier: ShippingCarrier | null
  customer_name: string
  customer_phone: string
  customer_city: string
  currency: string
  /** What the carrier has collected and not paid yet. 0 if it owes nothing. */
  cash_owed: number
  cash_received: number | null
  cash_received_at: string | null
  cash_reference: string | null
  updated_at: string
}

export interface Payment {
  url: string | null
  expires_at: string | null
  amount: number
  currency: string
}

export interface PaymentMethod {
  id: string
  name: string
  status: string
  payment_types: string[]
  connected: boolean
}

export interface PhoneNumber {
  /** In E.164. */
  phone: string
  /** Orders of this phone number, without abandoned ones. */
  orders: number
  /** Those that were delivered. */
  delivered: number
  /** Those that came back. */
  returned: number
  /** Those that are on their way or wait. */
  open: number
  /** The newest 20, with abandoned ones. */
  latest_orders: {
    id: string
    ref: string
    status: 'pending' | 'paid' | 'abandoned'
    /** What became of it. `closed`: cancelled or archived, or nothing is left to deliver. */
    outcome: 'open' | 'delivered' | 'returned' | 'closed' | 'abandoned'
    currency: string
    total: number
    created_at: string
  }[]
  elsewhere: {
    /** Orders of this phone number, without abandoned ones. */
    orders: number
    /** Those that were delivered. */
    delivered: number
    /** Those that came back. */
    returned: number
  } | null
}

export interface Plan {
  id: string
  name: string
  /** Of one period, without tax. */
  price: number
  currency: string
  period: 'month' | 'year'
  /** A limit that is absent does not exist. */
  limits: {
    /** Products of the store. */
    products?: number
    /** Orders created in a calendar month (UTC). Deleting an order does not give its place back. */
    orders?: number
    /** Bytes of files. Identical files count once. */
    storage?: number
    /** People who may use the console for this store. */
    people?: number
    /** Installed apps. */
    apps?: number
    /** Webhooks of all apps. */
    webhooks?: number
    /** Calls of each app in a minute. More are refused with 429. */
    calls?: number
  }
  /** Whether stores can switch to it. */
  is_offered: boolean
}

export interface PlanSwitch {
  plan_id: string
  effective_at: string
  /** To be paid now, without tax. */
  amount: number
  currency: string
  invoice_id: string | null
}

export interface Policy {
  id: string
  type: 'refund' | 'privacy' | 'terms' | 'shipping' | 'custom'
  title: string
  slug: string
  /** As sent: plain text or Markdown, which the service never renders. */
  content: string
  is_published: boolean
  created_at: string
  updated_at: string
}

export interface Product {
  id: string
  slug: string
  title: string
  description: string | null
  page_title: string | null
  meta_description: string | null
  is_digital: boolean
  status: 'active' | 'inactive'
  stock_tracked: boolean
  allow_order_when_oos: boolean
  created_at: string
  /** When the product was changed. Stock does not count: see `updated_at` of the variants. */
  updated_at: string
  image: StoredFile | null
  images: StoredFile[]
  ugc_videos: StoredFile[]
  options: Option[]
  /** Empty for a product without options. */
  variants: Variant[]
  category: Category | null
  default: Variant | null
  properties: {
    id: string
    name: string
    value: string
  }[]
}

export interface ProductAnalytics {
  product_id: string | null
  title: string | null
  /** Units in orders placed, except abandoned and cancelled ones. */
  ordered_units: number
  /** Units in paid orders, at the time of payment. */
  units: number
  /** Price of these units, before discounts, shipping and refunds of the order. */
  gross: number
}

export interface Refund {
  id: string
  order_id: string
  status: 'pending' | 'refunded'
  amount: number
  reason: string | null
  return: Return | null
  refund_variants: RefundVariant[]
  created_at: string
}

export interface RefundVariant {
  id: string
  order_variant_id: string
  quantity: number
  amount: number
  order_variant: OrderVariant
}

export interface Return {
  id: string
  order_id: string
  reason: string | null
  return_variants: ReturnVariant[]
  delivery: Delivery | null
  created_at: string
}

export interface ReturnVariant {
  id: string
  order_variant_id: string
  quantity: number
  reason: string | null
  restock: boolean
  order_variant: OrderVariant
}

export interface Review {
  id: string
  content: string
  status: 'pending' | 'hidden' | 'published'
  rating: number
  reviewer_name: string
  reviewer_email: string | null
  created_at: string
  updated_at: string
  images: StoredFile[]
  product: Product
}

export interface SalesAnalytics {
  currency: string
  total: {
    /** Orders placed, except abandoned ones. */
    orders: number
    /** Abandoned orders. */
    abandoned: number
    /** How many of `orders` have been cancelled since. */
    cancelled: number
    /** Orders paid and not cancelled, at the time of payment. */
    paid: number
    /** Units in the paid orders. */
    units: number
    /** Totals of the paid orders. */
    gross: number
    /** Refunds made, at the time of the refund, of orders that count as paid. */
    refunds: number
    /** `gross` less `refunds`. */
    revenue: number
    average_order: number | null
  }
  series: {
    start: string
    /** Exclusive. */
    end: string
    /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
    label: string
    /** Orders placed, except abandoned ones. */
    orders: number
    /** Abandoned orders. */
    abandoned: number
    /** How many of `orders` have been cancelled since. */
    cancelled: number
    /** Orders paid and not cancelled, at the time of payment. */
    paid: number
    /** Units in the paid orders. */
    units: number
    /** Totals of the paid orders. */
    gross: number
    /** Refunds made, at the time of the refund, of orders that count as paid. */
    refunds: number
    /** `gross` less `refunds`. */
    revenue: number
    average_order: number | null
  }[]
}

export interface Settings {
  /** Name of the store. */
  name: string
  /** ISO 4217. The currency of orders that name none. */
  currency: string
  /** IANA name. Days and weeks of reports are those of this time zone. */
  time_zone: string
  /** Language tag, such as `ar` or `fr-TN`. */
  language: string
  contact_email: string | null
  contact_phone: string | null
  contact_address: string | null
  logo_id: string | null
  country_id: string | null
  /** Whether the operator lets stores share counts of phone numbers. */
  can_share_phone_counts: boolean
  /** How orders are confirmed and what their signals say: see the guide. */
  order_desk: {
    /** Whether new pending orders wait for a confirmation by phone. At first false. */
    confirm: boolean
    /** Only orders with one of these payment methods. Empty: all. */
    confirm_payment_methods: string[]
    /** Whether returned units go back to stock when the delivery of the return becomes `delivered`. False, as at first: when the return is created. */
    restock_on_receipt: boolean
    /** With fewer finished parcels of a phone number, their share says nothing. At first 3. */
    min_parcels: number
    /** A smaller share of delivered parcels is `bad`. At first 50. */
    bad_below: number
    /** A smaller share of delivered parcels is `careful`. At first 75. */
    careful_below: number
    /** Characters of a useful address. At first 10. */
    min_address: number
    /** More units are unusual. At first 10. */
    max_quantity: number
    /** Whether this store shares, with others that do, how many orders of a phone number were delivered and came back: see the guide. Needs the consent of the operator. At first false. */
    share_phone_counts: boolean
  }
}

export interface ShippingCarrier {
  id: string
  name: string
  code: string
  status: string
  tracking_url: string | null
}

export interface StockAnalytics {
  product_id: string
  title: string
  /** Units of all its variants. */
  quantity: number
  /** How many variants it has. */
  variants: number
  /** How many of them have no unit left. */
  variants_out_of_stock: number
  /** Whether it can be ordered when nothing is left. */
  allow_order_when_oos: boolean
  /** Units in orders placed, except abandoned and cancelled ones. */
  ordered_units: number
  /** `ordered_units` divided by `days`. */
  units_per_day: number
  days_of_cover: number | null
}

export interface StockChange {
  id: string | null
  /** `order_cancelled` also when an order is abandoned or deleted, `product_update` also when a product is imported. `opening` is what was there when the variant was made, or when the history began. */
  kind:
    | 'opening'
    | 'order_placed'
    | 'order_changed'
    | 'order_cancelled'
    | 'order_reactivated'
    | 'return'
    | 'adjustment'
    | 'product_update'
  /** How many units were added; negative if units were taken. */
  delta: number
  /** Quantity after the change. */
  quantity: number
  reason: string | null
  order: {
    id: string
    ref: string
  } | null
  app_name: string | null
  account_name: string | null
  created_at: string
}

export interface StockLevel {
  variant_id: string | null
  product_id: string | null
  sku: string | null
  quantity: number | null
  previous_quantity: number | null
  /** Why the line was refused, by field. Empty if it was applied. */
  errors: Record<string, string[]>
}

export interface StoreApp {
  id: string
  client_id: string
  name: string
  description: string
  developer: string
  url: string
  icon: string | null
  support_url: string | null
  privacy_url: string | null
  embed_url: string | null
  /** Name and description by language: en, fr, ar. */
  languages: Record<string, unknown>
  state: 'listed' | 'unlisted' | 'disabled'
  /** Permissions that the app must have. */
  required: string[]
  /** Permissions that a store may grant in addition. */
  optional: string[]
  install_id: string | null
  /** What this store has granted. */
  permissions: string[]
  /** Required permissions that this store has not granted. */
  pending: string[]
  installed_at: string | null
  last_used_at: string | null
}

/** The plan of the store. `next_plan_id` follows at `period_end`. */
export interface Subscription {
  plan_id: string
  period_start: string
  period_end: string
  next_plan_id: string | null
}

export interface Variant {
  id: string
  product_id: string
  /** The option values joined, or the title of the product if it has no options. */
  title: string
  price: number
  compare_price: number
  sku: string | null
  quantity: number
  image: StoredFile | null
  file: StoredFile | null
  values: {
    id: string
    option_id: string
    /** Sort order of the option. */
    order: number
    value: string
  }[]
  created_at: string
  updated_at: string
}

export interface Webhook {
  id: string
  /** Where events are posted to: `https`, on port 443 or above 1023, a public address, no user name or password. Redirects are not followed. */
  url: string
  /** The types of events that are sent. */
  types: string[]
  changed: string[] | null
  /** Leave out changes that the app itself made. */
  ignore_self: boolean
  /** `full`: `data` is the whole resource, read when it is sent. `thin`: `data` is its id. */
  payload: 'full' | 'thin'
  /** How many events are sent at a time. Those of one resource are always sent one after the other, in order. With 1, all events are: one that fails delays all later ones. */
  lanes: number
  state: 'on' | 'paused'
  reason: 'requested' | 'operator' | 'failing' | 'gone' | 'expired' | 'key_changed' | 'restored' | null
  paused_at: string | null
  failing_since: string | null
  previous_secret_until: string | null
  created_at: string
  updated_at: string
}

export interface WebhookDelivery {
  /** Id of the event: the header `webhook-id`. */
  event_id: string
  type:
    | 'category.created'
    | 'category.updated'
    | 'category.deleted'
    | 'file.created'
    | 'file.updated'
    | 'file.deleted'
    | 'shipping_carrier.created'
    | 'shipping_carrier.updated'
    | 'shipping_carrier.deleted'
    | 'payment_method.created'
    | 'payment_method.updated'
    | 'payment_method.deleted'
    | 'domain.created'
    | 'domain.updated'
    | 'domain.deleted'
    | 'policy.created'
    | 'policy.updated'
    | 'policy.deleted'
    | 'product.created'
    | 'product.updated'
    | 'product.deleted'
    | 'bundle.created'
    | 'bundle.updated'
    | 'bundle.deleted'
    | 'customer.created'
    | 'customer.updated'
    | 'customer.deleted'
    | 'review.created'
    | 'review.updated'
    | 'review.deleted'
    | 'landing_page.created'
    | 'landing_page.updated'
    | 'landing_page.deleted'
    | 'order.created'
    | 'order.updated'
    | 'order.deleted'
    | 'order.confirmed'
    | 'order.refused'
    | 'app.installed'
    | 'app.permissions_changed'
    | 'app.uninstalled'
    | 'app.disabled'
    | 'webhook.failing'
    | 'webhook.paused'
    | 'webhook.test'
    | 'setting.changed'
    | 'plan.switched'
    | 'plan.limit_near'
    | 'plan.limit_reached'
    | 'invoice.created'
    | 'invoice.paid'
    | 'invoice.voided'
  resource: {
    kind:
      | 'category'
      | 'file'
      | 'shipping_carrier'
      | 'payment_method'
      | 'domain'
      | 'policy'
      | 'product'
      | 'bundle'
      | 'customer'
      | 'review'
      | 'landing_page'
      | 'order'
      | 'app'
      | 'webhook'
      | 'setting'
      | 'plan'
      | 'invoice'
    id: string
  }
  state: 'waiting' | 'delivered' | 'failed'
  is_replay: boolean
  attempts: number
  first_attempt_at: string | null
  next_attempt_at: string | null
  done_at: string | null
  status: number | null
  error:
    | 'dns'
    | 'address'
    | 'connect'
    | 'tls'
    | 'timeout'
    | 'closed'
    | 'redirect'
    | 'status'
    | 'expired'
    | 'skipped'
    | null
  ms: number | null
}

export interface WebhookWithSecret {
  id: string
  /** Where events are posted to: `https`, on port 443 or above 1023, a public address, no user name or password. Redirects are not followed. */
  url: string
  /** The types of events that are sent. */
  types: string[]
  changed: string[] | null
  /** Leave out changes that the app itself made. */
  ignore_self: boolean
  /** `full`: `data` is the whole resource, read when it is sent. `thin`: `data` is its id. */
  payload: 'full' | 'thin'
  /** How many events are sent at a time. Those of one resource are always sent one after the other, in order. With 1, all events are: one that fails delays all later ones. */
  lanes: number
  state: 'on' | 'paused'
  reason: 'requested' | 'operator' | 'failing' | 'gone' | 'expired' | 'key_changed' | 'restored' | null
  paused_at: string | null
  failing_since: string | null
  previous_secret_until: string | null
  created_at: string
  updated_at: string
  /** Signs the events (Standard Webhooks). Shown when it is created and rotated only: store it. */
  secret: string
}

/** Resources by the kind that events and snapshots call them. */
export interface ResourceOf {
  category: Category
  file: StoredFile
  shipping_carrier: ShippingCarrier
  payment_method: PaymentMethod
  domain: Domain
  policy: Policy
  product: Product
  bundle: Bundle
  customer: Customer
  review: Review
  landing_page: LandingPage
  order: Order
  invoice: Invoice
}

/** Every operation: what its path, query, body and files are, and what its reply has in `data`. */
export interface Operations {
  /** Exchange credentials for a token. */
  'POST /auth/get-token': {
    path: never
    query: never
    body: {
      /** Public identifier of the app. May be sent as the Basic user name instead. */
      client_id?: string
      /** Secret of the app. May be sent as the Basic password instead. */
      client_secret?: string
      /** Binds the token to one installation. */
      install_id?: string
      /** Lifetime in seconds. */
      ttl?: number
    }
    files: never
    reply: {
      app: App
      /** The bearer token. */
      token: string
      ttl: number
    }
  }
  /** Fetch the app of the token. */
  'GET /auth/me': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      app: App
      install_id?: string
    }
  }
  /** List the apps of the store. */
  'GET /app': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      apps: StoreApp[]
    }
  }
  /** Fetch the installation of the token. */
  'GET /app/self': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      installation: OwnInstallation
    }
  }
  /** Give up permissions. */
  'PUT /app/self': {
    path: never
    query: never
    body: {
      /** What the installation keeps. It cannot gain any. */
      permissions: (
        | 'product:view'
        | 'product:create'
        | 'product:update'
        | 'product:delete'
        | 'customer:view'
        | 'customer:create'
        | 'customer:update'
        | 'customer:delete'
        | 'review:view'
        | 'review:create'
        | 'review:update'
        | 'review:delete'
        | 'shipping:view'
        | 'shipping:create'
        | 'shipping:update'
        | 'shipping:delete'
        | 'domain:view'
        | 'domain:create'
        | 'domain:update'
        | 'domain:delete'
        | 'bundle:view'
        | 'bundle:create'
        | 'bundle:update'
        | 'bundle:delete'
        | 'policy:view'
        | 'policy:create'
        | 'policy:update'
        | 'policy:delete'
        | 'order:view'
        | 'order:create'
        | 'order:update'
        | 'order:delete'
        | 'order:export'
        | 'landing_page:view'
        | 'landing_page:create'
        | 'landing_page:update'
        | 'landing_page:delete'
        | 'landing_page:publish'
        | 'setting:view'
        | 'setting:update'
        | 'payment_method:view'
        | 'payment_method:update'
        | 'analytic:view'
        | 'plan:switch'
        | 'invoice:view'
        | 'invoice:pay'
        | 'file:browse'
        | 'file:upload'
        | 'file:delete'
        | 'app:install'
        | 'app:uninstall'
        | 'app:boot'
      )[]
    }
    files: never
    reply: {
      installation: OwnInstallation
    }
  }
  /** List the installations of the app. */
  'GET /auth/installation': {
    path: never
    query: {
      /** `next_cursor` of an earlier reply: only what has changed since then. Default: 0. */
      cursor?: number
      /** Default: 100. */
      page_size?: number
    }
    body: never
    files: never
    reply: {
      installations: AppInstallation[]
      /** Pass it as `cursor` to learn of later changes. */
      next_cursor: number
      has_more: boolean
    }
  }
  /** Install an app. Needs app:install. */
  'POST /app/{client_id}/install': {
    path: { client_id: string }
    query: never
    body: {
      /** Optional permissions to grant. Required ones always are. */
      permissions?: (
        | 'product:view'
        | 'product:create'
        | 'product:update'
        | 'product:delete'
        | 'customer:view'
        | 'customer:create'
        | 'customer:update'
        | 'customer:delete'
        | 'review:view'
        | 'review:create'
        | 'review:update'
        | 'review:delete'
        | 'shipping:view'
        | 'shipping:create'
        | 'shipping:update'
        | 'shipping:delete'
        | 'domain:view'
        | 'domain:create'
        | 'domain:update'
        | 'domain:delete'
        | 'bundle:view'
        | 'bundle:create'
        | 'bundle:update'
        | 'bundle:delete'
        | 'policy:view'
        | 'policy:create'
        | 'policy:update'
        | 'policy:delete'
        | 'order:view'
        | 'order:create'
        | 'order:update'
        | 'order:delete'
        | 'order:export'
        | 'landing_page:view'
        | 'landing_page:create'
        | 'landing_page:update'
        | 'landing_page:delete'
        | 'landing_page:publish'
        | 'setting:view'
        | 'setting:update'
        | 'payment_method:view'
        | 'payment_method:update'
        | 'analytic:view'
        | 'plan:switch'
        | 'invoice:view'
        | 'invoice:pay'
        | 'file:browse'
        | 'file:upload'
        | 'file:delete'
        | 'app:install'
        | 'app:uninstall'
        | 'app:boot'
      )[]
    }
    files: never
    reply: {
      installation: {
        install_id: string
        permissions: string[]
      }
    }
  }
  /** Uninstall an app. Needs app:uninstall. */
  'DELETE /app/{client_id}': {
    path: { client_id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Open an app. Needs app:boot. */
  'POST /app/{client_id}/boot': {
    path: { client_id: string }
    query: never
    body: never
    files: never
    reply: {
      session: {
        /** Where the app is opened. */
        url: string
        /** Valid for 60 seconds, for this app alone. */
        session_token: string
        expires_at: string
      }
    }
  }
  /** List all permissions. */
  'GET /permission': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      /** Subject to its actions. */
      permissions: {
        product: string[]
        customer: string[]
        review: string[]
        shipping: string[]
        domain: string[]
        bundle: string[]
        policy: string[]
        order: string[]
        landing_page: string[]
        setting: string[]
        payment_method: string[]
        analytic: string[]
        plan: string[]
        invoice: string[]
        file: string[]
        app: string[]
      }
    }
  }
  /** List products. Needs product:view. */
  'GET /product': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: `created_at`, or best match first with `search`. `stock` is the smallest quantity of a variant; products whose stock is not tracked have the largest. */
      order_by?: 'title' | 'category' | 'stock' | 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Words, or beginnings of words, that must all occur in title, description or slug. Case, accents and the kind of apostrophe do not matter. Without `order_by`, the best match comes first; matches in titles rank higher. */
      search?: string
      /** Exact title. */
      title?: string
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** true: products without stock. false: products with stock, and products whose stock is not tracked. */
      out_of_stock?: boolean
      category?: string
      /** Exact SKU of the product or one of its variants. */
      sku?: string
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      products: Product[]
      pagination: Pagination
    }
  }
  /** Create a product. Needs product:create. */
  'POST /product': {
    path: never
    query: never
    body: {
      title: string
      /** Unique in the store, ignoring case. On create, made from the title by default. Must be at most 255 letters, digits and hyphens. */
      slug?: string
      description?: string | null
      page_title?: string | null
      meta_description?: string | null
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** false: the product never runs out of stock. */
      stock_tracked?: boolean
      /** true: the product can be ordered when it is out of stock. */
      allow_order_when_oos?: boolean
      category_id?: string | null
      /** Ids of image files. */
      images?: {
        id: string
        order?: number
      }[]
      options?: {
        id?: string
        order?: number
        name?: string
        /** Matched by id, else by value. Unknown values are added, values that are not listed stay. A product has at most 2,000 values in all. */
        values?: {
          id?: string
          order?: number
          value?: string
          /** true: deletes the item with this id. */
          _delete?: boolean
        }[]
        /** true: deletes the item with this id. */
        _delete?: boolean
      }[]
      /** A product has at most 2,000 variants, and variants × options is at most 20,000. */
      variants?: {
        id?: string
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more. A negative quantity, which overselling causes, may be sent back unchanged, and imported with POST /bulk. */
        quantity?: number
        /** Added to the current quantity, instead of setting it. */
        quantity_delta?: number
        file?: string | null
        image?: string | null
        /** One value of each option. `order` is the order of the option; without it, the position in this list counts. If that option does not have the value, the only option that has it is used. */
        values?: {
          order?: number
          value: string
        }[]
        /** true: deletes the item with this id. */
        _delete?: boolean
      }[]
      default?: {
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more. A negative quantity, which overselling causes, may be sent back unchanged, and imported with POST /bulk. */
        quantity?: number
        /** Added to the current quantity, instead of setting it. */
        quantity_delta?: number
        file?: string | null
      }
      /** Short for `default.price`. */
      price?: number
      /** Short for `default.compare_price`. */
      compare_price?: number
      /** Short for `default.sku`. */
      sku?: string | null
      /** Short for `default.quantity`. */
      quantity?: number
      properties?: {
        name: string
        value: string
      }[]
      /** Ids of video files. */
      ugc_videos?: {
        id: string
        order?: number
      }[]
    }
    files: { 'images[]'?: Upload[]; 'files[]'?: Upload[] }
    reply: {
      product: Product
    }
  }
  /** Fetch one product. Needs product:view. */
  'GET /product/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      product: Product
    }
  }
  /** Delete a product. Needs product:delete. */
  'DELETE /product/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Update a product. Needs product:update. */
  'POST /product/{id}/update': {
    path: { id: string }
    query: never
    body: {
      title?: string
      /** Unique in the store, ignoring case. On create, made from the title by default. Must be at most 255 letters, digits and hyphens. */
      slug?: string
      description?: string | null
      page_title?: string | null
      meta_description?: string | null
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** false: the product never runs out of stock. */
      stock_tracked?: boolean
      /** true: the product can be ordered when it is out of stock. */
      allow_order_when_oos?: boolean
      category_id?: string | null
      /** Ids of image files. */
      images?: {
        id: string
        order?: number
      }[]
      options?: {
        id?: string
        order?: number
        name?: string
        /** Matched by id, else by value. Unknown values are added, values that are not listed stay. A product has at most 2,000 values in all. */
        values?: {
          id?: string
          order?: number
          value?: string
          /** true: deletes the item with this id. */
          _delete?: boolean
        }[]
        /** true: deletes the item with this id. */
        _delete?: boolean
      }[]
      /** A product has at most 2,000 variants, and variants × options is at most 20,000. */
      variants?: {
        id?: string
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more. A negative quantity, which overselling causes, may be sent back unchanged, and imported with POST /bulk. */
        quantity?: number
        /** Added to the current quantity, instead of setting it. */
        quantity_delta?: number
        file?: string | null
        image?: string | null
        /** One value of each option. `order` is the order of the option; without it, the position in this list counts. If that option does not have the value, the only option that has it is used. */
        values?: {
          order?: number
          value: string
        }[]
        /** true: deletes the item with this id. */
        _delete?: boolean
      }[]
      default?: {
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more. A negative quantity, which overselling causes, may be sent back unchanged, and imported with POST /bulk. */
        quantity?: number
        /** Added to the current quantity, instead of setting it. */
        quantity_delta?: number
        file?: string | null
      }
      /** Short for `default.price`. */
      price?: number
      /** Short for `default.compare_price`. */
      compare_price?: number
      /** Short for `default.sku`. */
      sku?: string | null
      /** Short for `default.quantity`. */
      quantity?: number
      properties?: {
        name: string
        value: string
      }[]
      /** Ids of video files. */
      ugc_videos?: {
        id: string
        order?: number
      }[]
    }
    files: { 'images[]'?: Upload[]; 'files[]'?: Upload[] }
    reply: {
      product: Product
    }
  }
  /** List what changed the stock of a variant. Needs product:view. */
  'GET /stock/{id}/history': {
    path: { id: string }
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
    }
    body: never
    files: never
    reply: {
      history: StockChange[]
      pagination: Pagination
    }
  }
  /** Change the stock of many variants. Needs product:update. */
  'POST /stock': {
    path: never
    query: {
      /** true: all lines or none. false: each line on its own. Default: false. */
      atomic?: boolean
    }
    body: {
      /** At most 1,000 lines, each for another variant. */
      stock: {
        /** Either this or `sku`. */
        variant_id?: string
        /** Exact SKU. It must belong to one variant only. */
        sku?: string
        /** The new quantity. Either this or `delta`. */
        quantity?: number
        /** Added to the current quantity; negative to take units. */
        delta?: number
        reason?: string | null
      }[]
    }
    files: never
    reply: {
      stock: StockLevel[]
    }
  }
  /** List the product categories. Needs product:view. */
  'GET /category': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'name' | 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
    }
    body: never
    files: never
    reply: {
      categories: Category[]
      pagination: Pagination
    }
  }
  /** Create a product category. Needs product:create. */
  'POST /category': {
    path: never
    query: never
    body: {
      /** Unique in the store, ignoring case and accents. */
      name: string
    }
    files: never
    reply: {
      category: Category
    }
  }
  /** Fetch one product category. Needs product:view. */
  'GET /category/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      category: Category
    }
  }
  /** Rename a product category. Needs product:update. */
  'PUT /category/{id}': {
    path: { id: string }
    query: never
    body: {
      /** Unique in the store, ignoring case and accents. */
      name?: string
    }
    files: never
    reply: {
      category: Category
    }
  }
  /** Delete a product category. Needs product:delete. */
  'DELETE /category/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** List bundles. Needs bundle:view. */
  'GET /bundle': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'name' | 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      product_id?: string
      status?: 'active' | 'inactive'
    }
    body: never
    files: never
    reply: {
      bundles: Bundle[]
      pagination: Pagination
    }
  }
  /** Create a bundle. Needs bundle:create. */
  'POST /bundle': {
    path: never
    query: never
    body: {
      product_id: string
      name: string
      /** Only active bundles can be ordered. */
      status?: 'active' | 'inactive'
      options: {
        /** Unique in the bundle. */
        name: string
        /** Units of the product. */
        quantity: number
        /** Price of all units together. */
        price: number
      }[]
    }
    files: never
    reply: {
      bundle: Bundle
    }
  }
  /** Fetch one bundle. Needs bundle:view. */
  'GET /bundle/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      bundle: Bundle
    }
  }
  /** Update a bundle. Needs bundle:update. */
  'PUT /bundle/{id}': {
    path: { id: string }
    query: never
    body: {
      name?: string
      status?: 'active' | 'inactive'
      /** All options: one with an `id` changes, one without is added, one that is not listed is removed. */
      options?: {
        id?: string
        /** Unique in the bundle. */
        name: string
        /** Units of the product. */
        quantity: number
        /** Price of all units together. */
        price: number
      }[]
    }
    files: never
    reply: {
      bundle: Bundle
    }
  }
  /** Delete a bundle. Needs bundle:delete. */
  'DELETE /bundle/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** List orders. Needs order:view. */
  'GET /order': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: date. */
      order_by?: 'total' | 'quantity' | 'date' | 'status'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Part of a ref, customer name, email, phone, address, city or postal code, or at least 6 characters of an order id. Case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone number. One or two characters match the beginning of a word. */
      search?: string
      /** Exact order reference. */
      ref?: string
      /** Orders of any of these statuses. */
      status?: 'pending' | 'paid' | 'abandoned' | ('pending' | 'paid' | 'abandoned')[]
      /** Orders of none of these statuses. */
      exclude_status?: 'pending' | 'paid' | 'abandoned' | ('pending' | 'paid' | 'abandoned')[]
      /** Orders with a delivery of any of these statuses. */
      delivery_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders with a return whose delivery has any of these statuses. */
      return_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders with a refund of any of these statuses. */
      refund_status?: 'pending' | 'refunded' | ('pending' | 'refunded')[]
      /** Orders without a delivery of any of these statuses. */
      exclude_delivery_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders without a return whose delivery has any of these statuses. */
      exclude_return_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders without a refund of any of these statuses. */
      exclude_refund_status?: 'pending' | 'refunded' | ('pending' | 'refunded')[]
      customer_id?: string
      /** Orders of any of these products. */
      product_id?: string | string[]
      landing_page_id?: string
      /** Orders with a delivery or a return by this carrier. */
      carrier_id?: string
      /** Orders with a delivery or a return of this tracking number, in upper or lower case. */
      tracking_number?: string
      /** Orders of this phone number, in whatever way it is written. Without a country code it is one of the country of the store. */
      phone?: string
      /** Orders whose signals have any of these levels. */
      level?: 'good' | 'unknown' | 'careful' | 'bad' | ('good' | 'unknown' | 'careful' | 'bad')[]
      /** Open orders of which there is another one, or those of which there is none. */
      duplicate?: boolean
      /** Orders in any of these states of confirmation. */
      confirmation?:
        | 'waiting'
        | 'confirmed'
        | 'no_answer'
        | 'postponed'
        | 'refused'
        | 'cancelled'
        | ('waiting' | 'confirmed' | 'no_answer' | 'postponed' | 'refused' | 'cancelled')[]
      is_cancelled?: boolean
      is_archived?: boolean
      /** Created at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      orders: Order[]
      pagination: Pagination
    }
  }
  /** Create an order that was placed outside the platform. Needs order:create. */
  'POST /order': {
    path: never
    query: never
    body: {
      customer_first_name?: string
      customer_last_name?: string
      /** Looks up the customer in the store, or creates one. */
      customer_email?: string
      customer_phone?: string
      customer_address?: string
      customer_city?: string
      customer_state?: string
      customer_postal_code?: string
      billing_first_name?: string
      billing_last_name?: string
      billing_email?: string
      billing_phone?: string
      billing_address?: string
      billing_city?: string
      billing_state?: string
      billing_postal_code?: string
      country_id?: string | null
      status?: 'pending' | 'paid' | 'abandoned'
      is_archived?: boolean
      is_cancelled?: boolean
      /** Their stock is reduced, unless the order is abandoned or cancelled. */
      variants?: {
        /** What is ordered: the id of one of the `variants` of the product, or of its `default` if it has no options. Either this or `sku`. */
        variant_id?: string
        /** Exact SKU. It must belong to one variant only. */
        sku?: string
        /** Required, except for the only line of a bundle: then it is the quantity of the bundle. */
        quantity?: number
        /** Price of one unit. Default: the price of the variant. */
        price?: number
        /** An option of an active bundle of the product. The order costs the price of the bundle; its units may be divided among several lines. A price that cannot be divided evenly makes two lines. */
        bundle_option_id?: string
      }[]
      /** Default: the currency of the store. */
      currency?: string
      shipping_rate?: number
      shipping_name?: string | null
      discount?: number
      discount_code?: string | null
      tip_type?: 'percent' | 'fixed' | null
      /** An amount, or a percentage of the subtotal. */
      tip_value?: number
      fee?: number
      /** Custom data of the app, at most 64 kB as JSON. */
      meta_data?: Record<string, unknown>
      landing_page_id?: string | null
      payment_method_id?: string | null
      source_link?: string | null
      /** When the order was placed. Default: now. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      created_at?: string | number
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** Fetch one order. Needs order:view. */
  'GET /order/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      order: Order
    }
  }
  /** Update an order. Needs order:update. */
  'PUT /order/{id}': {
    path: { id: string }
    query: never
    body: {
      customer_first_name?: string
      customer_last_name?: string
      /** Looks up the customer in the store, or creates one. */
      customer_email?: string
      customer_phone?: string
      customer_address?: string
      customer_city?: string
      customer_state?: string
      customer_postal_code?: string
      billing_first_name?: string
      billing_last_name?: string
      billing_email?: string
      billing_phone?: string
      billing_address?: string
      billing_city?: string
      billing_state?: string
      billing_postal_code?: string
      country_id?: string | null
      status?: 'pending' | 'paid' | 'abandoned'
      is_archived?: boolean
      is_cancelled?: boolean
      /** Custom data of the app, at most 64 kB as JSON. */
      meta_data?: Record<string, unknown>
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** Delete an order. Needs order:delete. */
  'DELETE /order/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Update a delivery. Needs order:update. */
  'PUT /order/delivery/{deliveryId}': {
    path: { deliveryId: string }
    query: never
    body: {
      status?: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled'
      tracking_number?: string | null
      shipping_carrier?: string | null
    }
    files: never
    reply: {
      delivery: Delivery
    }
  }
  /** Split a delivery. Needs order:update. */
  'POST /order/{id}/delivery': {
    path: { id: string }
    query: never
    body: {
      /** The delivery to take the units from. Default: the oldest unfulfilled delivery that holds all of these units and more. */
      delivery_id?: string
      variants: {
        order_variant_id: string
        quantity: number
      }[]
    }
    files: never
    reply: {
      delivery: Delivery
    }
  }
  /** Return items of an order. Needs order:update. */
  'POST /order/{id}/return': {
    path: { id: string }
    query: never
    body: {
      reason?: string | null
      variants: {
        order_variant_id: string
        quantity: number
        reason?: string | null
        /** Returns the units to stock, each unit once: units that cancelling the order has already returned are not added again, nor taken again when the cancellation is undone. If the store says so in its settings (`order_desk.restock_on_receipt`), this happens when the delivery of the return becomes `delivered`. Default: false. */
        restock?: boolean
      }[]
    }
    files: never
    reply: {
      return: Return
    }
  }
  /** Refund an order in full or in part. Needs order:update. */
  'POST /order/{id}/refund': {
    path: { id: string }
    query: never
    body: {
      /** Default: the sum of the lines. */
      amount?: number
      /** Default: pending. */
      status?: 'pending' | 'refunded'
      reason?: string | null
      return_id?: string | null
      variants?: {
        order_variant_id: string
        quantity: number
        /** Default: price times quantity. */
        amount?: number
      }[]
    }
    files: never
    reply: {
      refund: Refund
    }
  }
  /** Update a refund. Needs order:update. */
  'PUT /order/refund/{id}': {
    path: { id: string }
    query: never
    body: {
      status?: 'pending' | 'refunded'
      reason?: string | null
    }
    files: never
    reply: {
      refund: Refund
    }
  }
  /** Download the orders as CSV. Needs order:export. */
  'GET /order/export': {
    path: never
    query: {
      /** Default: csv. */
      format?: 'csv'
      /** Start the file with a byte order mark, which Excel needs to read UTF-8. Default: true for browsers (an `Accept` header with `text/html`), false for other callers. */
      bom?: boolean
      /** Sort field. Default: date. */
      order_by?: 'total' | 'quantity' | 'date' | 'status'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** Part of a ref, customer name, email, phone, address, city or postal code, or at least 6 characters of an order id. Case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone number. One or two characters match the beginning of a word. */
      search?: string
      /** Exact order reference. */
      ref?: string
      /** Orders of any of these statuses. */
      status?: 'pending' | 'paid' | 'abandoned' | ('pending' | 'paid' | 'abandoned')[]
      /** Orders of none of these statuses. */
      exclude_status?: 'pending' | 'paid' | 'abandoned' | ('pending' | 'paid' | 'abandoned')[]
      /** Orders with a delivery of any of these statuses. */
      delivery_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders with a return whose delivery has any of these statuses. */
      return_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders with a refund of any of these statuses. */
      refund_status?: 'pending' | 'refunded' | ('pending' | 'refunded')[]
      /** Orders without a delivery of any of these statuses. */
      exclude_delivery_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders without a return whose delivery has any of these statuses. */
      exclude_return_status?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled')[]
      /** Orders without a refund of any of these statuses. */
      exclude_refund_status?: 'pending' | 'refunded' | ('pending' | 'refunded')[]
      customer_id?: string
      /** Orders of any of these products. */
      product_id?: string | string[]
      landing_page_id?: string
      /** Orders with a delivery or a return by this carrier. */
      carrier_id?: string
      /** Orders with a delivery or a return of this tracking number, in upper or lower case. */
      tracking_number?: string
      /** Orders of this phone number, in whatever way it is written. Without a country code it is one of the country of the store. */
      phone?: string
      /** Orders whose signals have any of these levels. */
      level?: 'good' | 'unknown' | 'careful' | 'bad' | ('good' | 'unknown' | 'careful' | 'bad')[]
      /** Open orders of which there is another one, or those of which there is none. */
      duplicate?: boolean
      /** Orders in any of these states of confirmation. */
      confirmation?:
        | 'waiting'
        | 'confirmed'
        | 'no_answer'
        | 'postponed'
        | 'refused'
        | 'cancelled'
        | ('waiting' | 'confirmed' | 'no_answer' | 'postponed' | 'refused' | 'cancelled')[]
      is_cancelled?: boolean
      is_archived?: boolean
      /** Created at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: ReadableStream<Uint8Array>
  }
  /** Fetch what is known about a phone number. Needs order:view. */
  'GET /phone/{number}': {
    path: { number: string }
    query: never
    body: never
    files: never
    reply: {
      phone: PhoneNumber
    }
  }
  /** Record whether the customer confirms an order. Needs order:update. */
  'POST /order/{id}/confirmation': {
    path: { id: string }
    query: never
    body: {
      /** `cancelled` cancels the order. `waiting` takes the last result back: the order waits for a call again. */
      result: 'confirmed' | 'no_answer' | 'postponed' | 'refused' | 'cancelled' | 'waiting'
      note?: string | null
      next_at?: string | number | null
      /** With `refused`: cancels the order, which puts its units back in stock. */
      cancel?: boolean
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** Add a note to an order. Needs order:update. */
  'POST /order/{id}/note': {
    path: { id: string }
    query: never
    body: {
      /** Shown in the history of the order, with who wrote it. Not in events and snapshots. */
      text: string
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** Merge another order into this one. Needs order:update. */
  'POST /order/{id}/merge': {
    path: { id: string }
    query: never
    body: {
      /** The order whose lines are added to this one, and which is then cancelled. */
      order_id: string
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** Change the lines of an order. Needs order:update. */
  'PUT /order/{id}/variants': {
    path: { id: string }
    query: never
    body: {
      /** All lines that the order shall have. What is not given is taken out. */
      variants: {
        /** A line that the order has. Either this or `variant_id`. */
        id?: string
        /** What is added to the order. */
        variant_id?: string
        quantity: number
        /** Price of one unit. Default: as it is, or the price of the variant. */
        price?: number
      }[]
    }
    files: never
    reply: {
      order: Order
    }
  }
  /** List who has which order to confirm. Needs order:view. */
  'GET /order/claim': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      claims: OrderClaim[]
    }
  }
  /** Take an order to confirm. Needs order:update. */
  'POST /order/claim': {
    path: never
    query: never
    body: {
      /** The order to take. Default: the most urgent one that nobody has. */
      order_id?: string
      /** Orders to pass over. */
      exclude?: string[]
      /** true: gives back what the caller has, or only the order of `order_id`, and takes nothing. `order` is null then. */
      release?: boolean
    }
    files: never
    reply: {
      order: Order | null
    }
  }
  /** List the parcels of carriers. Needs order:view. */
  'GET /parcel': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: date. */
      order_by?: 'date'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Parcels of this carrier. */
      carrier_id?: string
      /** Parcels in any of these states. */
      state?:
        | 'unfulfilled'
        | 'fulfilled'
        | 'shipped'
        | 'delivered'
        | 'returning'
        | 'returned'
        | 'cancelled'
        | ('unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'returning' | 'returned' | 'cancelled')[]
      /** Parcels whose cash the carrier owes, or those for which it has paid. */
      cash?: 'owed' | 'received'
      /** In upper or lower case. */
      tracking_number?: string
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
    }
    body: never
    files: never
    reply: {
      parcels: Parcel[]
      pagination: Pagination
    }
  }
  /** Count parcels and cash by carrier. Needs order:view. */
  'GET /parcel/summary': {
    path: never
    query: {
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
    }
    body: never
    files: never
    reply: {
      carriers: CarrierParcels[]
    }
  }
  /** Record what a carrier says about its parcels. Needs order:update. */
  'POST /parcel/result': {
    path: never
    query: never
    body: {
      /** At most 200 lines. */
      results: {
        /** In upper or lower case. */
        tracking_number: string
        /** `returning`: the parcel is on its way back. `returned`: the store has received it. */
        result: 'shipped' | 'delivered' | 'returning' | 'returned'
      }[]
      carrier_id?: string | null
      /** Units of the returns that this request creates go back to stock, as with `POST /order/{id}/return`. Default: false. */
      restock?: boolean
    }
    files: never
    reply: {
      results: CarrierResult[]
    }
  }
  /** Record that a carrier has paid what it collected. Needs order:update. */
  'POST /parcel/cash': {
    path: never
    query: never
    body: {
      /** At most 200 parcels: with cash that their carrier owes, or that was received. */
      parcel_ids: string[]
      /** false: takes it back, and the carrier owes the cash again. Default: true. */
      received?: boolean
      reference?: string | null
    }
    files: never
    reply: {
      parcels: Parcel[]
    }
  }
  /** List customers. Needs customer:view. */
  'GET /customer': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?:
        | 'amount_spent'
        | 'order_count'
        | 'name'
        | 'email'
        | 'phone'
        | 'address'
        | 'city'
        | 'postal_code'
        | 'created_at'
        | 'updated_at'
        | 'subscription_status'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Part of a name, email, phone, address, city or postal code. Case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone number. */
      search?: string
      /** A country id. */
      country?: string
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      customers: Customer[]
      pagination: Pagination
    }
  }
  /** Create a customer. Needs customer:create. */
  'POST /customer': {
    path: never
    query: never
    body: {
      /** Must be an email address. */
      email: string
      name?: string
      phone?: string | null
      address?: string | null
      city?: string | null
      postal_code?: string | null
      country_id?: string | null
      subscription_status?: 'subscribed' | 'not_subscribed'
    }
    files: never
    reply: {
      customer: Customer
    }
  }
  /** Fetch one customer. Needs customer:view. */
  'GET /customer/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      customer: Customer
    }
  }
  /** Update a customer. Needs customer:update. */
  'PUT /customer/{id}': {
    path: { id: string }
    query: never
    body: {
      /** Must be an email address. */
      email?: string
      name?: string
      phone?: string | null
      address?: string | null
      city?: string | null
      postal_code?: string | null
      country_id?: string | null
      subscription_status?: 'subscribed' | 'not_subscribed'
    }
    files: never
    reply: {
      customer: Customer
    }
  }
  /** Delete a customer. Needs customer:delete. */
  'DELETE /customer/{id}': {
    path: { id: string }
    query: {
      /** Also erases the person from their orders: every `customer_` and `billing_` field except the country becomes empty, `card_brand` and `card_last4` null, `meta_data` `{}`. A search no longer finds these orders by them. In reviews with their email, `reviewer_name` becomes empty and `reviewer_email` null. Works also on the id of a customer who was deleted without it, and covers the orders of earlier customers with the same email; 404 if nothing of them is left. Default: false. */
      erase?: boolean
    }
    body: never
    files: never
    reply: Record<string, never>
  }
  /** List reviews. Needs review:view. */
  'GET /review': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'product_id' | 'rating' | 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      product_id?: string
      /** Reviews of any of these statuses. */
      status?: 'pending' | 'hidden' | 'published' | ('pending' | 'hidden' | 'published')[]
      /** Minimum rating. */
      rating?: number
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      reviews: Review[]
      pagination: Pagination
    }
  }
  /** Create a review. Needs review:create. */
  'POST /review': {
    path: never
    query: never
    body: {
      product_id: string
      content: string
      rating: number
      reviewer_name: string
      reviewer_email?: string | null
      status?: 'pending' | 'hidden' | 'published'
      /** Ids of images uploaded with POST /file. */
      image_ids?: string[]
    }
    files: { 'images[]'?: Upload[] }
    reply: {
      review: Review
    }
  }
  /** Fetch one review. Needs review:view. */
  'GET /review/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      review: Review
    }
  }
  /** Update a review. Needs review:update. */
  'PUT /review/{id}': {
    path: { id: string }
    query: never
    body: {
      content?: string
      rating?: number
      reviewer_name?: string
      reviewer_email?: string | null
      status?: 'pending' | 'hidden' | 'published'
    }
    files: never
    reply: {
      review: Review
    }
  }
  /** Delete a review. Needs review:delete. */
  'DELETE /review/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** List landing pages. Needs landing_page:view. */
  'GET /landing-page': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Pages of any of these products. */
      product_id?: string | string[]
      domain_id?: string
      /** Pages of any of these types. */
      cod_type?: 'checkout' | 'popup' | 'embedded' | ('checkout' | 'popup' | 'embedded')[]
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      landingPages: LandingPage[]
      pagination: Pagination
    }
  }
  /** Create a landing page. Needs landing_page:create. */
  'POST /landing-page': {
    path: never
    query: never
    body: {
      title: string
      product_id: string
      /** Unique in the store, ignoring case. Made from the title by default. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
      slug?: string
      meta_description?: string | null
      domain_id?: string | null
      screenshot_url?: string | null
      lang?: string | null
      cod_type?: 'checkout' | 'popup' | 'embedded'
    }
    files: never
    reply: {
      landing_page: LandingPage
    }
  }
  /** Fetch one landing page. Needs landing_page:view. */
  'GET /landing-page/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      landing_page: LandingPage
    }
  }
  /** Update a landing page. Needs landing_page:update. */
  'PUT /landing-page/{id}': {
    path: { id: string }
    query: never
    body: {
      title?: string
      product_id?: string
      /** Unique in the store, ignoring case. Made from the title by default. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
      slug?: string
      meta_description?: string | null
      domain_id?: string | null
      screenshot_url?: string | null
      lang?: string | null
      cod_type?: 'checkout' | 'popup' | 'embedded'
    }
    files: never
    reply: {
      landing_page: LandingPage
    }
  }
  /** Delete a landing page. Needs landing_page:delete. */
  'DELETE /landing-page/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Publish a landing page. Needs landing_page:publish. */
  'POST /landing-page/{id}/publish': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      landing_page: LandingPage
    }
  }
  /** Take back the publication of a landing page. Needs landing_page:publish. */
  'POST /landing-page/{id}/unpublish': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      landing_page: LandingPage
    }
  }
  /** List files. Needs file:browse. */
  'GET /file': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Files linked to resources of this kind. */
      fileable_type?: 'product' | 'variant' | 'landing_page' | 'review'
      /** Files linked to this resource. */
      fileable_id?: string
      /** An exact type such as `image/png`, or all subtypes as `image/*`; up to 10, separated by commas. `*` stands only for a whole subtype. */
      mime_type?: string | string[]
      /** true: files that some resource, a text or the store uses. false: files that nothing uses. */
      linked?: boolean
      /** Created at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this time or earlier. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      files: StoredFile[]
      pagination: Pagination
    }
  }
  /** Upload a file. Needs file:upload. */
  'POST /file': {
    path: never
    query: never
    body: {
      /** Kind of the resource to link the file to. */
      fileable_type?: 'product' | 'variant' | 'landing_page' | 'review'
      /** The resource to link the file to. */
      fileable_id?: string
      /** How the resource uses the file. `product_images`, `variant_image`, `landing_page_images` and `review_images` accept images only, `ugc_video` videos only, `digital_product` any file, which then stays private forever. Default: the role that fits the type of the file. */
      role?:
        | 'product_images'
        | 'variant_image'
        | 'digital_product'
        | 'landing_page_images'
        | 'review_images'
        | 'ugc_video'
      /** Sort order when linked. */
      order?: number
      /** Alternative text of a picture. */
      alt?: string
    }
    files: { file: Upload }
    reply: {
      file: StoredFile
    }
  }
  /** Fetch one file. Needs file:browse. */
  'GET /file/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      file: StoredFile
    }
  }
  /** Delete a file. Needs file:delete. */
  'POST /file/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Change the alternative text of a file. Needs file:upload. */
  'PUT /file/{id}': {
    path: { id: string }
    query: never
    body: {
      /** Alternative text of a picture. */
      alt?: string
    }
    files: never
    reply: {
      file: StoredFile
    }
  }
  /** List what uses a file. Needs file:browse. */
  'GET /file/{id}/link': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      links: FileLink[]
    }
  }
  /** Delete files that nothing uses. Needs file:delete. */
  'POST /file/unused': {
    path: never
    query: never
    body: {
      /** At most 200 files. */
      file_ids: string[]
    }
    files: never
    reply: {
      files: FileDeletion[]
    }
  }
  /** Unlink a file from a resource. Needs file:delete. */
  'DELETE /file/{id}/link/{fileable_type}/{fileable_id}': {
    path: { id: string; fileable_type: 'product' | 'variant' | 'landing_page' | 'review'; fileable_id: string }
    query: never
    body: never
    files: never
    reply: {
      file: StoredFile
    }
  }
  /** Download a file. */
  'GET /files/{store}/{id}': {
    path: { store: string; id: string }
    query: {
      /** Unix seconds. */
      expires?: number
      signature?: string
    }
    body: never
    files: never
    reply: ReadableStream<Uint8Array>
  }
  /** Download the thumbnail of an image. */
  'GET /files/{store}/{id}/thumbnail': {
    path: { store: string; id: string }
    query: {
      /** Unix seconds. */
      expires?: number
      signature?: string
    }
    body: never
    files: never
    reply: ReadableStream<Uint8Array>
  }
  /** Read the changes of the store. */
  'GET /event': {
    path: never
    query: {
      /** `next_cursor` of an earlier reply, the cursor at the end of a snapshot, or `now`. Default: the oldest event kept. */
      cursor?: string
      /** Types of events: `order.created`, all of a kind: `order.*`, or `*`. Default: all you may see. */
      types?: string | string[]
      /** Of updates, only those that changed one of these fields; `deliveries` includes `deliveries.status`. Created and deleted resources are not affected. */
      changed?: string | string[]
      resource_id?: string
      /** Only what assistants did. */
      via?: 'assistant'
      /** Only what this person did. */
      account_id?: string
      /** Leave out changes that your own app made. Default: false. */
      ignore_self?: boolean
      /** Events since An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Events until An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Maximum number of events in a reply. There may be fewer, even if `more` is true. Default: 50. */
      page_size?: number
      /** `full`: `data` is the whole resource. `thin`: `data` is its id. Default: full. */
      payload?: 'full' | 'thin'
      /** Seconds to wait for an event if there is none yet (long polling). Default: 0. */
      wait?: number
    }
    body: never
    files: never
    reply: {
      events: Event[]
      /** Where to continue. Store it once the events are processed. */
      next_cursor: string
      /** More events are available now. */
      more: boolean
    }
  }
  /** Fetch one event. */
  'GET /event/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      event: Event
    }
  }
  /** Download the store. */
  'GET /snapshot': {
    path: never
    query: {
      /** Kinds of resources. Default: all whose permission you have. */
      types?:
        | 'category'
        | 'file'
        | 'shipping_carrier'
        | 'payment_method'
        | 'domain'
        | 'policy'
        | 'product'
        | 'bundle'
        | 'customer'
        | 'review'
        | 'landing_page'
        | 'order'
        | (
            | 'category'
            | 'file'
            | 'shipping_carrier'
            | 'payment_method'
            | 'domain'
            | 'policy'
            | 'product'
            | 'bundle'
            | 'customer'
            | 'review'
            | 'landing_page'
            | 'order'
          )[]
      /** `mark` of a line of an interrupted snapshot, to continue after it, with the same `types`. */
      after?: string
    }
    body: never
    files: never
    reply: ReadableStream<Uint8Array>
  }
  /** List webhooks. */
  'GET /webhook': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      webhooks: Webhook[]
    }
  }
  /** Create a webhook. */
  'POST /webhook': {
    path: never
    query: never
    body: {
      /** Where events are posted to: `https`, on port 443 or above 1023, a public address, no user name or password. Redirects are not followed. */
      url: string
      /** Types of events: `order.created`, all of a kind: `order.*`, or `*` for all that the app may see. Naming a type needs the permission of its kind. Permissions are checked again at each delivery. */
      types: (
        | '*'
        | 'category.*'
        | 'file.*'
        | 'shipping_carrier.*'
        | 'payment_method.*'
        | 'domain.*'
        | 'policy.*'
        | 'product.*'
        | 'bundle.*'
        | 'customer.*'
        | 'review.*'
        | 'landing_page.*'
        | 'order.*'
        | 'app.*'
        | 'webhook.*'
        | 'setting.*'
        | 'plan.*'
        | 'invoice.*'
        | 'category.created'
        | 'category.updated'
        | 'category.deleted'
        | 'file.created'
        | 'file.updated'
        | 'file.deleted'
        | 'shipping_carrier.created'
        | 'shipping_carrier.updated'
        | 'shipping_carrier.deleted'
        | 'payment_method.created'
        | 'payment_method.updated'
        | 'payment_method.deleted'
        | 'domain.created'
        | 'domain.updated'
        | 'domain.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.deleted'
        | 'product.created'
        | 'product.updated'
        | 'product.deleted'
        | 'bundle.created'
        | 'bundle.updated'
        | 'bundle.deleted'
        | 'customer.created'
        | 'customer.updated'
        | 'customer.deleted'
        | 'review.created'
        | 'review.updated'
        | 'review.deleted'
        | 'landing_page.created'
        | 'landing_page.updated'
        | 'landing_page.deleted'
        | 'order.created'
        | 'order.updated'
        | 'order.deleted'
        | 'order.confirmed'
        | 'order.refused'
        | 'app.installed'
        | 'app.permissions_changed'
        | 'app.uninstalled'
        | 'app.disabled'
        | 'webhook.failing'
        | 'webhook.paused'
        | 'webhook.test'
        | 'setting.changed'
        | 'plan.switched'
        | 'plan.limit_near'
        | 'plan.limit_reached'
        | 'invoice.created'
        | 'invoice.paid'
        | 'invoice.voided'
      )[]
      changed?: string[] | null
      /** Leave out changes that the app itself made. */
      ignore_self?: boolean
      /** `full`: `data` is the whole resource, read when it is sent. `thin`: `data` is its id. */
      payload?: 'full' | 'thin'
      /** How many events are sent at a time. Those of one resource are always sent one after the other, in order. With 1, all events are: one that fails delays all later ones. */
      lanes?: number
      /** Delivery starts with the first event after this cursor, such as the one at the end of a snapshot. Default: `now`. */
      cursor?: string
    }
    files: never
    reply: {
      webhook: WebhookWithSecret
    }
  }
  /** Fetch one webhook. */
  'GET /webhook/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      webhook: Webhook
    }
  }
  /** Update a webhook. */
  'PUT /webhook/{id}': {
    path: { id: string }
    query: never
    body: {
      /** Where events are posted to: `https`, on port 443 or above 1023, a public address, no user name or password. Redirects are not followed. */
      url?: string
      /** Types of events: `order.created`, all of a kind: `order.*`, or `*` for all that the app may see. Naming a type needs the permission of its kind. Permissions are checked again at each delivery. */
      types?: (
        | '*'
        | 'category.*'
        | 'file.*'
        | 'shipping_carrier.*'
        | 'payment_method.*'
        | 'domain.*'
        | 'policy.*'
        | 'product.*'
        | 'bundle.*'
        | 'customer.*'
        | 'review.*'
        | 'landing_page.*'
        | 'order.*'
        | 'app.*'
        | 'webhook.*'
        | 'setting.*'
        | 'plan.*'
        | 'invoice.*'
        | 'category.created'
        | 'category.updated'
        | 'category.deleted'
        | 'file.created'
        | 'file.updated'
        | 'file.deleted'
        | 'shipping_carrier.created'
        | 'shipping_carrier.updated'
        | 'shipping_carrier.deleted'
        | 'payment_method.created'
        | 'payment_method.updated'
        | 'payment_method.deleted'
        | 'domain.created'
        | 'domain.updated'
        | 'domain.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.deleted'
        | 'product.created'
        | 'product.updated'
        | 'product.deleted'
        | 'bundle.created'
        | 'bundle.updated'
        | 'bundle.deleted'
        | 'customer.created'
        | 'customer.updated'
        | 'customer.deleted'
        | 'review.created'
        | 'review.updated'
        | 'review.deleted'
        | 'landing_page.created'
        | 'landing_page.updated'
        | 'landing_page.deleted'
        | 'order.created'
        | 'order.updated'
        | 'order.deleted'
        | 'order.confirmed'
        | 'order.refused'
        | 'app.installed'
        | 'app.permissions_changed'
        | 'app.uninstalled'
        | 'app.disabled'
        | 'webhook.failing'
        | 'webhook.paused'
        | 'webhook.test'
        | 'setting.changed'
        | 'plan.switched'
        | 'plan.limit_near'
        | 'plan.limit_reached'
        | 'invoice.created'
        | 'invoice.paid'
        | 'invoice.voided'
      )[]
      changed?: string[] | null
      /** Leave out changes that the app itself made. */
      ignore_self?: boolean
      /** `full`: `data` is the whole resource, read when it is sent. `thin`: `data` is its id. */
      payload?: 'full' | 'thin'
      /** How many events are sent at a time. Those of one resource are always sent one after the other, in order. With 1, all events are: one that fails delays all later ones. */
      lanes?: number
    }
    files: never
    reply: {
      webhook: Webhook
    }
  }
  /** Delete a webhook. */
  'DELETE /webhook/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Rotate the secret of a webhook. */
  'POST /webhook/{id}/rotate-secret': {
    path: { id: string }
    query: never
    body: {
      /** For how many seconds events are also signed with the old secret. */
      overlap?: number
    }
    files: never
    reply: {
      webhook: WebhookWithSecret
    }
  }
  /** Pause a webhook. */
  'POST /webhook/{id}/pause': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      webhook: Webhook
    }
  }
  /** Resume a webhook. */
  'POST /webhook/{id}/resume': {
    path: { id: string }
    query: never
    body: {
      /** `stopped`: continue where it stopped. `now`: skip the events since then; waiting ones are listed as failed. A cursor: send every event after it, including those delivered before. */
      from?: string
    }
    files: never
    reply: {
      webhook: Webhook
    }
  }
  /** Send a test event. */
  'POST /webhook/{id}/test': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      test: {
        /** Whether the receiver replied 2xx. */
        is_delivered: boolean
        status: number | null
        error:
          | 'dns'
          | 'address'
          | 'connect'
          | 'tls'
          | 'timeout'
          | 'closed'
          | 'redirect'
          | 'status'
          | 'expired'
          | 'skipped'
          | null
        ms: number | null
      }
    }
  }
  /** Send events again. */
  'POST /webhook/{id}/replay': {
    path: { id: string }
    query: never
    body: {
      /** Events since An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: string | number
      /** Events until An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: string | number
      /** Ids of events. */
      ids?: string[]
      /** true: all that are listed as failed. */
      failed?: boolean
    }
    files: never
    reply: {
      replay: {
        /** How many are sent again. */
        events: number
      }
    }
  }
  /** Read the delivery log of a webhook. */
  'GET /webhook/{id}/delivery': {
    path: { id: string }
    query: {
      /** `failed` are the dead letters: replay them with `{"failed": true}`. */
      state?: 'waiting' | 'delivered' | 'failed'
      /** Default: 50. */
      page_size?: number
      /** `next_cursor` of the page before. */
      cursor?: string
    }
    body: never
    files: never
    reply: {
      deliveries: WebhookDelivery[]
      next_cursor: string | null
      /** Events of the store that the webhook has not processed yet. */
      behind: number
    }
  }
  /** List the shipping carriers. */
  'GET /shipping-carrier': {
    path: never
    query: {
      /** Which carriers to list. All but `active` need the permission `shipping:view`. Default: active. */
      status?: 'active' | 'inactive' | 'all'
    }
    body: never
    files: never
    reply: {
      carriers: ShippingCarrier[]
    }
  }
  /** Create a shipping carrier. Needs shipping:create. */
  'POST /shipping-carrier': {
    path: never
    query: never
    body: {
      name: string
      /** Unique in the store. */
      code: string
      tracking_url?: string | null
      /** New deliveries can only choose active carriers. */
      status?: 'active' | 'inactive'
    }
    files: never
    reply: {
      carrier: ShippingCarrier
    }
  }
  /** Fetch one shipping carrier. Needs shipping:view. */
  'GET /shipping-carrier/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      carrier: ShippingCarrier
    }
  }
  /** Update a shipping carrier. Needs shipping:update. */
  'PUT /shipping-carrier/{id}': {
    path: { id: string }
    query: never
    body: {
      name?: string
      /** Unique in the store. */
      code?: string
      tracking_url?: string | null
      /** New deliveries can only choose active carriers. */
      status?: 'active' | 'inactive'
    }
    files: never
    reply: {
      carrier: ShippingCarrier
    }
  }
  /** Delete a shipping carrier. Needs shipping:delete. */
  'DELETE /shipping-carrier/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      carrier: ShippingCarrier | null
    }
  }
  /** List bulk jobs. */
  'GET /bulk': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      resource?: 'product' | 'category' | 'bundle' | 'order' | 'customer' | 'review' | 'landing_page'
      /** Jobs of any of these statuses. */
      status?:
        | 'receiving'
        | 'waiting'
        | 'running'
        | 'done'
        | 'cancelled'
        | 'failed'
        | ('receiving' | 'waiting' | 'running' | 'done' | 'cancelled' | 'failed')[]
    }
    body: never
    files: never
    reply: {
      jobs: BulkJob[]
      pagination: Pagination
    }
  }
  /** Import many lines. */
  'POST /bulk': {
    path: never
    query: {
      /** What the lines are. */
      resource?: 'product' | 'category' | 'bundle' | 'order' | 'customer' | 'review' | 'landing_page'
      /** `create` makes a new resource of each line; `upsert` updates the one that `match` finds, if any, and else creates it; `update` creates nothing: a line that finds nothing fails. Default: create. */
      mode?: 'create' | 'upsert' | 'update'
      /** Required with `mode=upsert` and `mode=update`: the field that finds the existing resource. With `upsert`, a line without the field, or with a value that finds nothing, creates one. product: `id`, `slug`, `sku`; category: `id`, `name`; bundle: `id`; order: `id`, `ref`; customer: `id`, `email`; review: `id`; landing_page: `id`. */
      match?: 'id' | 'slug' | 'sku' | 'name' | 'ref' | 'email'
      /** Reads the lines from an uploaded file instead of the body. Needs `file:browse`, too. */
      file_id?: string
    }
    body: JsonLines
    files: never
    reply: {
      job: BulkJob
    }
  }
  /** Fetch one bulk job. */
  'GET /bulk/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      job: BulkJob
    }
  }
  /** Cancel a bulk job. */
  'DELETE /bulk/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      job: BulkJob
    }
  }
  /** Download the results of a bulk job. */
  'GET /bulk/{id}/result': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: ReadableStream<Uint8Array>
  }
  /** List payment methods. Needs payment_method:view. */
  'GET /payment-method': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'name' | 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      status?: 'active' | 'inactive'
    }
    body: never
    files: never
    reply: {
      payment_methods: PaymentMethod[]
      pagination: Pagination
    }
  }
  /** Fetch one payment method. Needs payment_method:view. */
  'GET /payment-method/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      payment_method: PaymentMethod
    }
  }
  /** Update a payment method. Needs payment_method:update. */
  'PUT /payment-method/{id}': {
    path: { id: string }
    query: never
    body: {
      /** The name that shoppers see. */
      name?: string
      status?: 'active' | 'inactive'
      /** Kinds of payment, such as `card`, `cod`, `bank_transfer` or `wallet`. */
      payment_types?: string[]
    }
    files: never
    reply: {
      payment_method: PaymentMethod
    }
  }
  /** List domains. Needs domain:view. */
  'GET /domain': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
    }
    body: never
    files: never
    reply: {
      domains: Domain[]
      pagination: Pagination
    }
  }
  /** Create a domain. Needs domain:create. */
  'POST /domain': {
    path: never
    query: never
    body: {
      /** A host name in any script, such as `shop.example` or `متجر.example`: no port, no path, no IP address. Unique across all stores. The service does not check that it points to the storefront. */
      host: string
      /** true: makes it the primary domain, in place of the current one. */
      is_primary?: boolean
    }
    files: never
    reply: {
      domain: Domain
    }
  }
  /** Fetch one domain. Needs domain:view. */
  'GET /domain/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      domain: Domain
    }
  }
  /** Update a domain. Needs domain:update. */
  'PUT /domain/{id}': {
    path: { id: string }
    query: never
    body: {
      /** A host name in any script, such as `shop.example` or `متجر.example`: no port, no path, no IP address. Unique across all stores. The service does not check that it points to the storefront. */
      host?: string
      /** true: makes it the primary domain, in place of the current one. */
      is_primary?: boolean
    }
    files: never
    reply: {
      domain: Domain
    }
  }
  /** Delete a domain. Needs domain:delete. */
  'DELETE /domain/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** List policies. Needs policy:view. */
  'GET /policy': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      /** Policies of any of these types. */
      type?:
        | 'refund'
        | 'privacy'
        | 'terms'
        | 'shipping'
        | 'custom'
        | ('refund' | 'privacy' | 'terms' | 'shipping' | 'custom')[]
      is_published?: boolean
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier. A date without a time means the end of that day, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      policies: Policy[]
      pagination: Pagination
    }
  }
  /** Create a policy. Needs policy:create. */
  'POST /policy': {
    path: never
    query: never
    body: {
      /** A store has one policy of each type, and any number of `custom`. */
      type: 'refund' | 'privacy' | 'terms' | 'shipping' | 'custom'
      title: string
      /** Unique among the policies of the store, ignoring case. Made from the title by default. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
      slug?: string
      /** Plain text or Markdown. It is stored as sent and never rendered. */
      content?: string
      /** false by default. */
      is_published?: boolean
    }
    files: never
    reply: {
      policy: Policy
    }
  }
  /** Fetch one policy. Needs policy:view. */
  'GET /policy/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      policy: Policy
    }
  }
  /** Update a policy. Needs policy:update. */
  'PUT /policy/{id}': {
    path: { id: string }
    query: never
    body: {
      /** A store has one policy of each type, and any number of `custom`. */
      type?: 'refund' | 'privacy' | 'terms' | 'shipping' | 'custom'
      title?: string
      /** Unique among the policies of the store, ignoring case. Made from the title by default. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
      slug?: string
      /** Plain text or Markdown. It is stored as sent and never rendered. */
      content?: string
      /** false by default. */
      is_published?: boolean
    }
    files: never
    reply: {
      policy: Policy
    }
  }
  /** Delete a policy. Needs policy:delete. */
  'DELETE /policy/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: Record<string, never>
  }
  /** Fetch the settings of the store. Needs setting:view. */
  'GET /setting': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      setting: Settings
    }
  }
  /** Update the settings of the store. Needs setting:update. */
  'PUT /setting': {
    path: never
    query: never
    body: {
      name?: string
      /** ISO 4217. It cannot be changed once the store has orders. */
      currency?: string
      /** IANA name, such as `Africa/Tunis` or `UTC`. */
      time_zone?: string
      language?: string
      contact_email?: string | null
      contact_phone?: string | null
      contact_address?: string | null
      logo_id?: string | null
      country_id?: string | null
      /** Only the given ones change. */
      order_desk?: {
        /** Whether new pending orders wait for a confirmation by phone. At first false. */
        confirm?: boolean
        /** Only orders with one of these payment methods. Empty: all. */
        confirm_payment_methods?: string[]
        /** Whether returned units go back to stock when the delivery of the return becomes `delivered`. False, as at first: when the return is created. */
        restock_on_receipt?: boolean
        /** With fewer finished parcels of a phone number, their share says nothing. At first 3. */
        min_parcels?: number
        /** A smaller share of delivered parcels is `bad`. At first 50. */
        bad_below?: number
        /** A smaller share of delivered parcels is `careful`. At first 75. */
        careful_below?: number
        /** Characters of a useful address. At first 10. */
        min_address?: number
        /** More units are unusual. At first 10. */
        max_quantity?: number
        /** Whether this store shares, with others that do, how many orders of a phone number were delivered and came back: see the guide. Needs the consent of the operator. At first false. */
        share_phone_counts?: boolean
      }
    }
    files: never
    reply: {
      setting: Settings
    }
  }
  /** List the countries. */
  'GET /country': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      countries: Country[]
    }
  }
  /** Orders, payments and revenue over time. Needs analytic:view. */
  'GET /analytic/sales': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      /** The currency of the store first, then those with the most orders, ten at most. */
      sales: SalesAnalytics[]
    }
  }
  /** Sales by product. Needs analytic:view. */
  'GET /analytic/products': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
      /** Only orders in this currency. Default: the currency of the store. */
      currency?: string
      /** Only this product, with its `series`. */
      product_id?: string
      /** Highest first. Default: gross. */
      order_by?: 'gross' | 'units' | 'ordered_units'
      /** How many are shown. Default: 50. */
      limit?: number
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      currency: string
      products: ProductAnalytics[]
      /** Empty unless a single one is requested. */
      series: {
        start: string
        /** Exclusive. */
        end: string
        /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
        label: string
        /** Units in orders placed, except abandoned and cancelled ones. */
        ordered_units: number
        /** Units in paid orders, at the time of payment. */
        units: number
        /** Price of these units, before discounts, shipping and refunds of the order. */
        gross: number
      }[]
    }
  }
  /** New and returning customers over time. Needs analytic:view. */
  'GET /analytic/customers': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      total: {
        /** Orders placed, except abandoned ones. */
        orders: number
        /** Customers who placed their first order. */
        new_customers: number
        /** Orders of customers who had ordered before. */
        returning_orders: number
        /** Orders without a customer. */
        guest_orders: number
      }
      series: {
        start: string
        /** Exclusive. */
        end: string
        /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
        label: string
        /** Orders placed, except abandoned ones. */
        orders: number
        /** Customers who placed their first order. */
        new_customers: number
        /** Orders of customers who had ordered before. */
        returning_orders: number
        /** Orders without a customer. */
        guest_orders: number
      }[]
    }
  }
  /** Delivery success over time, by carrier and by city. Needs analytic:view. */
  'GET /analytic/delivery': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      total: {
        /** Deliveries to customers, by the time at which they were created. */
        deliveries: number
        /** How many of them are in this status now. */
        unfulfilled: number
        /** How many of them are in this status now. */
        fulfilled: number
        /** How many of them are in this status now. */
        shipped: number
        /** How many of them are in this status now. */
        delivered: number
        /** How many of them are in this status now. */
        cancelled: number
        /** Deliveries of returns, not among `deliveries`. */
        returns: number
        success_rate: number | null
      }
      series: {
        start: string
        /** Exclusive. */
        end: string
        /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
        label: string
        /** Deliveries to customers, by the time at which they were created. */
        deliveries: number
        /** How many of them are in this status now. */
        unfulfilled: number
        /** How many of them are in this status now. */
        fulfilled: number
        /** How many of them are in this status now. */
        shipped: number
        /** How many of them are in this status now. */
        delivered: number
        /** How many of them are in this status now. */
        cancelled: number
        /** Deliveries of returns, not among `deliveries`. */
        returns: number
        success_rate: number | null
      }[]
      /** By carrier; null for deliveries without one. The 100 with the most deliveries. */
      carriers: {
        carrier_id: string | null
        name: string | null
        /** Deliveries to customers, by the time at which they were created. */
        deliveries: number
        /** How many of them are in this status now. */
        unfulfilled: number
        /** How many of them are in this status now. */
        fulfilled: number
        /** How many of them are in this status now. */
        shipped: number
        /** How many of them are in this status now. */
        delivered: number
        /** How many of them are in this status now. */
        cancelled: number
        /** Deliveries of returns, not among `deliveries`. */
        returns: number
        success_rate: number | null
      }[]
      /** By city of the order, ignoring case; null for orders without one. The 100 with the most deliveries. */
      cities: {
        city: string | null
        /** Deliveries to customers, by the time at which they were created. */
        deliveries: number
        /** How many of them are in this status now. */
        unfulfilled: number
        /** How many of them are in this status now. */
        fulfilled: number
        /** How many of them are in this status now. */
        shipped: number
        /** How many of them are in this status now. */
        delivered: number
        /** How many of them are in this status now. */
        cancelled: number
        /** Deliveries of returns, not among `deliveries`. */
        returns: number
        success_rate: number | null
      }[]
    }
  }
  /** From landing page to delivered revenue. Needs analytic:view. */
  'GET /analytic/landing-pages': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
      /** Only orders in this currency. Default: the currency of the store. */
      currency?: string
      /** Only this landing page, with its `series`. */
      landing_page_id?: string
      /** Highest first. Default: orders. */
      order_by?: 'orders' | 'gross' | 'delivered_amount'
      /** How many are shown. Default: 50. */
      limit?: number
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      currency: string
      landing_pages: LandingPageAnalytics[]
      /** Empty unless a single one is requested. */
      series: {
        start: string
        /** Exclusive. */
        end: string
        /** The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`. */
        label: string
        /** Orders placed through the page, except abandoned ones. All figures are about these orders. */
        orders: number
        /** How many of them were cancelled. */
        cancelled: number
        /** How many of them are paid and not cancelled. */
        paid: number
        /** Totals of the paid ones. */
        gross: number
        /** Refunds made of the paid ones. */
        refunds: number
        /** `gross` less `refunds`. */
        revenue: number
        /** How many of them have arrived: every delivery is delivered or cancelled, and at least one delivered. */
        delivered: number
        /** Totals of the delivered ones, whether they are marked as paid or not, before refunds. */
        delivered_revenue: number
        paid_rate: number | null
        delivered_rate: number | null
      }[]
    }
  }
  /** Delivery success by the level of the orders. Needs analytic:view. */
  'GET /analytic/levels': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Length of the intervals, by the calendar of the store; weeks begin on Monday. At most 1000 intervals. The first and the last are cut where the period begins and ends. Default: day. */
      interval?: 'hour' | 'day' | 'week' | 'month'
      /** Only orders in this currency. Default: the currency of the store. */
      currency?: string
    }
    body: never
    files: never
    reply: {
      period: AnalyticPeriod
      currency: string
      /** All four, from `good` to `bad`. */
      levels: LevelAnalytics[]
    }
  }
  /** Products that are or will soon be out of stock. Needs analytic:view. */
  'GET /analytic/stock': {
    path: never
    query: {
      /** Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an hour. Default: 30 days up to `to`. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter of an hour. Default: the end of today. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Products whose stock lasts fewer days than this are `low`. Default: 14. */
      cover?: number
      /** How many are shown. Default: 50. */
      limit?: number
    }
    body: never
    files: never
    reply: {
      period: {
        from: string
        /** Exclusive. */
        to: string
        /** Of the store. */
        time_zone: string
      }
      /** How many days of the period are over. */
      days: number
      total: {
        /** All active products whose stock is tracked and that have none left. */
        out_of_stock: number
        /** All active products whose stock is tracked and lasts fewer days than `cover`. */
        low: number
      }
      /** Those with the most ordered units first. */
      out_of_stock: StockAnalytics[]
      /** Those that run out first come first. */
      low: StockAnalytics[]
    }
  }
  /** List the plans on offer, the plan of the store and what it uses. */
  'GET /plan': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      plans: Plan[]
      subscription: Subscription | null
      /** How much the store uses of each limit of its plan. */
      use: {
        /** Products of the store. */
        products?: {
          used: number
          limit: number
        }
        /** Orders created in a calendar month (UTC). Deleting an order does not give its place back. */
        orders?: {
          used: number
          limit: number
        }
        /** Bytes of files. Identical files count once. */
        storage?: {
          used: number
          limit: number
        }
        /** People who may use the console for this store. */
        people?: {
          used: number
          limit: number
        }
        /** Installed apps. */
        apps?: {
          used: number
          limit: number
        }
        /** Webhooks of all apps. */
        webhooks?: {
          used: number
          limit: number
        }
      }
    }
  }
  /** Switch the store to another plan. Needs plan:switch. */
  'POST /plan/switch': {
    path: never
    query: never
    body: {
      plan_id: string
    }
    files: never
    reply: {
      plan_switch: PlanSwitch
    }
  }
  /** List invoices. Needs invoice:view. */
  'GET /invoice': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
      /** false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. A search by relevance then lists at most 2,000 matches. */
      total?: boolean
      status?: 'open' | 'paid' | 'void' | 'overdue'
    }
    body: never
    files: never
    reply: {
      invoices: Invoice[]
      pagination: Pagination
    }
  }
  /** Fetch one invoice. Needs invoice:view. */
  'GET /invoice/{id}': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      invoice: Invoice
    }
  }
  /** Find out where to pay an invoice. Needs invoice:pay. */
  'POST /invoice/{id}/pay': {
    path: { id: string }
    query: never
    body: never
    files: never
    reply: {
      payment: Payment
    }
  }
  /** Report that an invoice was paid. */
  'POST /billing/paid': {
    path: never
    query: never
    body: {
      invoice_id: string
      /** The whole amount of the invoice. */
      amount: number
      currency: string
      /** Names the payment in the operator's books. */
      reference?: string
    }
    files: never
    reply: Record<string, never>
  }
  /** Show the API index. */
  'GET /': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      name: string
      version: string
      /** Links to the documents and first operations. */
      links: {
        documents: string
        openapi: string
        get_token: string
        me: string
        permissions: string
      }
    }
  }
}
