// Written from openapi.json by scripts/client-types.mjs. To change it, change the server's schemas.
import type { Upload } from './multipart-body.ts'

/** An ISO 8601 date or date-time, Unix seconds, or a Date. */
export type DateBound = string | number | Date

export interface Pagination {
  total: number
  per_page: number
  current_page: number
  last_page: number
  /** Pass it as `cursor` for the next page. */
  next_cursor: string | null
}

export interface ErrorBody {
  /** An error code. */
  code: string
  /** What went wrong, for a person. */
  message: string
  /** Dotted path of a field to the sentences about it. */
  errors: Record<string, string[]>
}

export interface ShippingCarrier {
  id: string
  name: string
  code: string
  status: string
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

export interface Category {
  id: string
  name: string
}

export interface StoredFile {
  id: string
  name: string
  size: number
  alt: string
  mime_type: string
  created_at: string
  /** Signed, works for a while. Empty where a buyer pays (or once paid) for the file and the caller has no `file:browse`. */
  url: string
  /** Never changes. Open to everybody while something public shows the file: an image of a product, variant or landing page, a video of a product, an image of a published review. Else, and for good once it has been sold as a digital product, it needs a token with `file:browse`. */
  permanent_url: string
  thumbnail: string | null
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

export interface Variant {
  id: string
  product_id: string
  /** Its values joined; of a product without options the product's title. */
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
    /** The order of the option. */
    order: number
    value: string
  }[]
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
  /** Where shoppers find the page: on its domain, or else on that of the store. */
  url: string
  screenshot_url: string | null
  lang: string | null
  cod_type: 'checkout' | 'popup' | 'embedded'
  published_at: string | null
}

export interface OrderVariant {
  id: string
  quantity: number
  /** Of one unit, as it was when ordered. */
  price: number
  sku: string | null
  title: string
  is_digital: boolean
  /** Option name to chosen value. */
  options: Record<string, string>
  variant: Variant | null
  image_url: string | null
}

export interface Delivery {
  id: string
  status: 'unfulfilled' | 'fulfilled' | 'shipped' | 'delivered' | 'cancelled'
  tracking_number: string | null
  tracking_link: string | null
  shipping_carrier: ShippingCarrier | null
  /** With the units that this delivery holds. */
  order_variants: OrderVariant[]
}

export interface ReturnVariant {
  id: string
  order_variant_id: string
  quantity: number
  reason: string | null
  restock: boolean
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

export interface RefundVariant {
  id: string
  order_variant_id: string
  quantity: number
  amount: number
  order_variant: OrderVariant
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

export interface OrderEvent {
  id: string
  app_id: string | null
  /** The app that made the change. */
  app_name: string
  subject: 'status' | 'is_cancelled' | 'is_archived' | 'delivery' | 'return' | 'refund'
  /** The order, delivery, return or refund that changed. */
  subject_id: string
  from: string | null
  to: string
  created_at: string
}

export interface PaymentMethod {
  id: string
  name: string
  status: string
  payment_types: string[]
  connected: boolean
}

export interface Order {
  id: string
  /** Short, unique in the store, readable aloud. */
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
  /** Subtotal, shipping, fee and tip, less the discount; never below 0. */
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
  /** Who changed which state, and when: the newest 500 entries, oldest first. */
  history: OrderEvent[]
}

export interface App {
  id: string
  client_id: string
  created_at: string
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
  /** What the paid orders come to. */
  amount_spent: number
  latest_order: Order | null
  subscription_status: 'subscribed' | 'not_subscribed'
}

export interface Review {
  id: string
  content: string
  status: 'pending' | 'hidden' | 'published'
  rating: number
  reviewer_name: string
  reviewer_email: string | null
  created_at: string
  images: StoredFile[]
  product: Product
}

/** Every operation: what its path, query, body and files are, and what its reply has in `data`. */
export interface Operations {
  /** Exchange credentials for a token. */
  'POST /auth/get-token': {
    path: never
    query: never
    body: {
      /** Public app identifier; or the Basic user name. */
      client_id?: string
      /** The app’s secret; or the Basic password. */
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
  /** Tell whose token this is. */
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
  /** List the permission catalogue. */
  'GET /permission': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      /** Each subject with its actions. */
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
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Without one: created_at, or with `search` the best match first. */
      order_by?: 'title' | 'category' | 'created_at'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      /** Words that title, description or slug must all have, each by its beginning, without regard to case, accents and the kind of apostrophe. Without `order_by`, the best match comes first: titles before descriptions. */
      search?: string
      /** The exact title. */
      title?: string
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** true: products with no stock; false: products with stock, or whose stock is not tracked. */
      out_of_stock?: boolean
      category?: string
      /** The exact sku of the product or of one of its variants. */
      sku?: string
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
      /** Unique in the store, without regard to case. Missing on create: made from the title. Must be at most 255 letters, digits and hyphens. */
      slug?: string
      description?: string | null
      page_title?: string | null
      meta_description?: string | null
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** False: the product never runs out. */
      stock_tracked?: boolean
      /** True: ordering goes on when nothing is left. */
      allow_order_when_oos?: boolean
      category_id?: string | null
      /** Files that are images. */
      images?: {
        id: string
        order?: number
      }[]
      options?: {
        id?: string
        order?: number
        name?: string
        /** Found by id, else by value; a new value is added, the others stay. At most 2,000 in all options of a product. */
        values?: {
          id?: string
          order?: number
          value?: string
          /** Removes what the id names. */
          _delete?: boolean
        }[]
        /** Removes what the id names. */
        _delete?: boolean
      }[]
      /** At most 2,000 in all, and 20,000 variants times options. */
      variants?: {
        id?: string
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more; less only unchanged, as read after more was sold than there was. */
        quantity?: number
        /** Adds to the quantity, whatever it is by then, instead of setting it. */
        quantity_delta?: number
        file?: string | null
        image?: string | null
        /** One value of each option. `order` names the option by its order, else the place in this list does; a value that only one of the options has is enough by itself. */
        values?: {
          order?: number
          value: string
        }[]
        /** Removes what the id names. */
        _delete?: boolean
      }[]
      default?: {
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more; less only unchanged, as read after more was sold than there was. */
        quantity?: number
        /** Adds to the quantity, whatever it is by then, instead of setting it. */
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
      /** Files that are videos. */
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
  /** Update a product. Needs product:update. */
  'POST /product/{id}/update': {
    path: { id: string }
    query: never
    body: {
      title?: string
      /** Unique in the store, without regard to case. Missing on create: made from the title. Must be at most 255 letters, digits and hyphens. */
      slug?: string
      description?: string | null
      page_title?: string | null
      meta_description?: string | null
      status?: 'active' | 'inactive'
      is_digital?: boolean
      /** False: the product never runs out. */
      stock_tracked?: boolean
      /** True: ordering goes on when nothing is left. */
      allow_order_when_oos?: boolean
      category_id?: string | null
      /** Files that are images. */
      images?: {
        id: string
        order?: number
      }[]
      options?: {
        id?: string
        order?: number
        name?: string
        /** Found by id, else by value; a new value is added, the others stay. At most 2,000 in all options of a product. */
        values?: {
          id?: string
          order?: number
          value?: string
          /** Removes what the id names. */
          _delete?: boolean
        }[]
        /** Removes what the id names. */
        _delete?: boolean
      }[]
      /** At most 2,000 in all, and 20,000 variants times options. */
      variants?: {
        id?: string
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more; less only unchanged, as read after more was sold than there was. */
        quantity?: number
        /** Adds to the quantity, whatever it is by then, instead of setting it. */
        quantity_delta?: number
        file?: string | null
        image?: string | null
        /** One value of each option. `order` names the option by its order, else the place in this list does; a value that only one of the options has is enough by itself. */
        values?: {
          order?: number
          value: string
        }[]
        /** Removes what the id names. */
        _delete?: boolean
      }[]
      default?: {
        price?: number
        compare_price?: number
        sku?: string | null
        /** 0 or more; less only unchanged, as read after more was sold than there was. */
        quantity?: number
        /** Adds to the quantity, whatever it is by then, instead of setting it. */
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
      /** Files that are videos. */
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
  /** List the product categories. Needs product:view. */
  'GET /category': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'name' | 'created_at'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
    }
    body: never
    files: never
    reply: {
      categories: Category[]
      pagination: Pagination
    }
  }
  /** List orders. Needs order:view. */
  'GET /order': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Default: date. */
      order_by?: 'total' | 'quantity' | 'date' | 'status'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      /** Part of a ref, customer name, email, phone, address, city or postal code; case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone. Of an order id, at least 6 characters. One or two characters find what has a word starting with them. */
      search?: string
      /** Exact order reference. */
      ref?: string
      status?: 'pending' | 'paid' | 'abandoned'
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
      is_cancelled?: boolean
      is_archived?: boolean
      /** Created at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this time or earlier; a bare date means its end, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier; a bare date means its end, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_to?: DateBound
    }
    body: never
    files: never
    reply: {
      orders: Order[]
      pagination: Pagination
    }
  }
  /** Add an order that was placed outside the platform. Needs order:create. */
  'POST /order': {
    path: never
    query: never
    body: {
      customer_first_name?: string
      customer_last_name?: string
      /** Finds the customer in the store, or creates one. */
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
      /** Their stock falls with the order, unless it is abandoned or cancelled. */
      variants?: {
        variant_id: string
        quantity: number
        /** Of one unit; when missing, that of the variant. */
        price?: number
      }[]
      /** When missing, that of the store. */
      currency?: string
      shipping_rate?: number
      shipping_name?: string | null
      discount?: number
      discount_code?: string | null
      tip_type?: 'percent' | 'fixed' | null
      /** An amount, or a percentage of the subtotal. */
      tip_value?: number
      fee?: number
      /** Whatever the app keeps with the order, at most 64 kB as JSON. */
      meta_data?: Record<string, unknown>
      landing_page_id?: string | null
      payment_method_id?: string | null
      source_link?: string | null
      /** When it was placed outside; when missing, now. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
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
  /** Change an order. Needs order:update. */
  'PUT /order/{id}': {
    path: { id: string }
    query: never
    body: {
      customer_first_name?: string
      customer_last_name?: string
      /** Finds the customer in the store, or creates one. */
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
      /** Whatever the app keeps with the order, at most 64 kB as JSON. */
      meta_data?: Record<string, unknown>
    }
    files: never
    reply: {
      order: Order
    }
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
      /** The delivery to take from; without it, the oldest unfulfilled one that holds all of it and more. */
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
  /** Return lines of an order. Needs order:update. */
  'POST /order/{id}/return': {
    path: { id: string }
    query: never
    body: {
      reason?: string | null
      variants: {
        order_variant_id: string
        quantity: number
        reason?: string | null
        /** Puts the units back in stock, each once: units that a cancelled order has given back already are not added again, and not taken again when the cancellation is undone. Default false. */
        restock?: boolean
      }[]
    }
    files: never
    reply: {
      return: Return
    }
  }
  /** Refund an order, whole or in part. Needs order:update. */
  'POST /order/{id}/refund': {
    path: { id: string }
    query: never
    body: {
      /** Default: the sum of the lines. */
      amount?: number
      /** Default pending. */
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
      /** Start the file with a byte order mark, which Excel needs to read UTF-8. When missing: yes for a browser (an Accept with `text/html`), no for other callers. */
      bom?: boolean
      /** Sort field. Default: date. */
      order_by?: 'total' | 'quantity' | 'date' | 'status'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** Part of a ref, customer name, email, phone, address, city or postal code; case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone. Of an order id, at least 6 characters. One or two characters find what has a word starting with them. */
      search?: string
      /** Exact order reference. */
      ref?: string
      status?: 'pending' | 'paid' | 'abandoned'
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
      is_cancelled?: boolean
      is_archived?: boolean
      /** Created at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this time or earlier; a bare date means its end, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
      /** Changed at this time or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      updated_from?: DateBound
      /** Changed at this time or earlier; a bare date means its end, UTC. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
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
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
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
        | 'subscription_status'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      /** Part of a name, email, phone, address, city or postal code; case, accents and the kind of apostrophe do not matter, nor do the spacing and the country code of a phone. */
      search?: string
      /** A country id. */
      country?: string
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
  /** Change a customer. Needs customer:update. */
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
  /** List reviews. Needs review:view. */
  'GET /review': {
    path: never
    query: {
      /** Page number. Default: 1. */
      page?: number
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'product_id' | 'rating' | 'created_at'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      product_id?: string
      status?: 'pending' | 'hidden' | 'published'
      /** The least rating. */
      rating?: number
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
      /** Images uploaded before, with POST /file. */
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
  /** Change a review. Needs review:update. */
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
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at' | 'updated_at'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      /** Pages of any of these products. */
      product_id?: string | string[]
      domain_id?: string
      cod_type?: 'checkout' | 'popup' | 'embedded'
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
      /** Unique in the store, without regard to case; made from the title when missing. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
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
  /** Change a landing page. Needs landing_page:update. */
  'PUT /landing-page/{id}': {
    path: { id: string }
    query: never
    body: {
      title?: string
      product_id?: string
      /** Unique in the store, without regard to case; made from the title when missing. Must be 1 to 120 letters, digits, hyphens, dots or underscores. */
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
      /** Results per page. A page whose answer would have more than 32 MB is refused with 422: ask for a smaller one. Default: 20. */
      page_size?: number
      /** Sort field. Default: created_at. */
      order_by?: 'created_at'
      /** Sort direction, in capitals or small letters. Default: DESC. */
      order_direction?: 'ASC' | 'DESC'
      /** `next_cursor` of the page before: goes on right after its last row, however many came in since. */
      cursor?: string
      /** Files of resources of this kind. */
      fileable_type?: 'product' | 'variant' | 'landing_page' | 'review'
      /** Files of this resource. */
      fileable_id?: string
      /** An exact type, or all of a kind as `image/*`; several separated by commas, 10 at most. A star stands for nothing but the whole of what follows the slash. */
      mime_type?: string | string[]
      /** Created at this moment or later. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      from?: DateBound
      /** Created at this moment or earlier. An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits). */
      to?: DateBound
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
      /** What the file is to the resource. `product_images`, `variant_image`, `landing_page_images` and `review_images` take images only, `ugc_video` videos only, `digital_product` any file, which is then private for good. Missing: the one that fits the type of the file. */
      role?:
        | 'product_images'
        | 'variant_image'
        | 'digital_product'
        | 'landing_page_images'
        | 'review_images'
        | 'ugc_video'
      /** Sort order when linked. */
      order?: number
      /** Describes a picture to those who cannot see it. */
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
  /** The bytes of a file. */
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
  /** A small version of an image. */
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
  /** List the active shipping carriers. */
  'GET /shipping-carrier': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      carriers: ShippingCarrier[]
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
  /** Show what is here. */
  'GET /': {
    path: never
    query: never
    body: never
    files: never
    reply: {
      name: string
      version: string
      /** Where to go from here. */
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
