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

export interface BulkJob {
  id: string
  resource: 'product' | 'category' | 'order' | 'customer' | 'review'
  mode: 'create' | 'upsert'
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
    | 'webhook.failing'
    | 'webhook.paused'
    | 'webhook.test'
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
      | 'webhook'
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
  /** Signed, and expires. Empty if the file is or was sold as a digital product and the caller lacks `file:browse`. */
  url: string
  /** Never changes. Public while something public shows the file: an image of a product, variant or landing page, a video of a product, an image of a published review. Otherwise, and always once the file was sold as a digital product, it needs a token with `file:browse`. */
  permanent_url: string
  thumbnail: string | null
}

export interface FileLink {
  fileable_type: 'product' | 'variant' | 'landing_page' | 'review'
  fileable_id: string
  role: 'product_images' | 'variant_image' | 'digital_product' | 'landing_page_images' | 'review_images' | 'ugc_video'
  /** Title of the product or landing page; of a review, its product. */
  title: string
  product_id: string | null
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
  /** Status changes, oldest first; the newest 500 entries. */
  history: OrderEvent[]
}

export interface OrderEvent {
  id: string
  app_id: string | null
  /** The app that made the change. */
  app_name: string
  account_name: string | null
  subject: 'status' | 'is_cancelled' | 'is_archived' | 'delivery' | 'return' | 'refund'
  /** The order, delivery, return or refund that changed. */
  subject_id: string
  from: string | null
  to: string
  created_at: string
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

export interface Pagination {
  total: number
  per_page: number
  current_page: number
  last_page: number
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null
}

export interface PaymentMethod {
  id: string
  name: string
  status: string
  payment_types: string[]
  connected: boolean
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

export interface StockLevel {
  variant_id: string | null
  product_id: string | null
  sku: string | null
  quantity: number | null
  previous_quantity: number | null
  /** Why the line was refused, by field. Empty if it was applied. */
  errors: Record<string, string[]>
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
    | 'webhook.failing'
    | 'webhook.paused'
    | 'webhook.test'
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
      | 'webhook'
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
      /** Sort field. Default: `created_at`, or best match first with `search`. */
      order_by?: 'title' | 'category' | 'created_at' | 'updated_at'
      /** Sort direction, case-insensitive. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the previous page. Continues right after its last row, even if rows were added since. */
      cursor?: string
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
        /** 0 or more. A negative quantity, which overselling causes, may only be sent back unchanged. */
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
        /** 0 or more. A negative quantity, which overselling causes, may only be sent back unchanged. */
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
        /** 0 or more. A negative quantity, which overselling causes, may only be sent back unchanged. */
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
        /** 0 or more. A negative quantity, which overselling causes, may only be sent back unchanged. */
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
      /** Part of a ref, customer name, email, phone, address, city or postal code, or at least 6 characters of an order id. Case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone number. One or two characters match the beginning of a word. */
      search?: string
      /** Exact order reference. */
      ref?: string
      status?: 'pending' | 'paid' | 'abandoned'
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
        variant_id: string
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
        /** Returns the units to stock, each unit once: units that cancelling the order has already returned are not added again, nor taken again when the cancellation is undone. Default: false. */
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
      status?: 'pending' | 'paid' | 'abandoned'
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
      /** Also erases the buyer from their orders: every `customer_` and `billing_` field except the country becomes empty, `card_brand` and `card_last4` null, `meta_data` `{}`. A search no longer finds these orders by them. Default: false. */
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
      product_id?: string
      status?: 'pending' | 'hidden' | 'published'
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
      /** Pages of any of these products. */
      product_id?: string | string[]
      domain_id?: string
      cod_type?: 'checkout' | 'popup' | 'embedded'
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
      /** Files linked to resources of this kind. */
      fileable_type?: 'product' | 'variant' | 'landing_page' | 'review'
      /** Files linked to this resource. */
      fileable_id?: string
      /** An exact type such as `image/png`, or all subtypes as `image/*`; up to 10, separated by commas. `*` stands only for a whole subtype. */
      mime_type?: string | string[]
      /** true: files that some resource uses. false: files that none uses. */
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
        | 'webhook.*'
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
        | 'webhook.failing'
        | 'webhook.paused'
        | 'webhook.test'
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
        | 'webhook.*'
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
        | 'webhook.failing'
        | 'webhook.paused'
        | 'webhook.test'
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
      resource?: 'product' | 'category' | 'order' | 'customer' | 'review'
      status?: 'receiving' | 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
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
      resource?: 'product' | 'category' | 'order' | 'customer' | 'review'
      /** `create` makes a new resource of each line; `upsert` updates the one that `match` finds, if any. Default: create. */
      mode?: 'create' | 'upsert'
      /** Required with `mode=upsert`: the field that finds the existing resource. A line without the field, or with a value that finds nothing, creates one. product: `id`, `slug`, `sku`; category: `id`, `name`; order: `id`, `ref`; customer: `id`, `email`; review: `id`. */
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
      type?: 'refund' | 'privacy' | 'terms' | 'shipping' | 'custom'
      is_published?: boolean
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
