import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The rows of each table as queries see them. The truth is in migrations/; this file follows it. */

type Id = Generated<string>
type Time = ColumnType<Date, Date | string | undefined, Date | string>
type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Exact decimals travel as text. */
type Money = ColumnType<string, string | number | undefined, string | number>
type MoneyOrNull = ColumnType<string | null, string | number | null | undefined, string | number | null>
type Json = ColumnType<unknown, string | undefined, string>
type Defaulted<T> = Generated<T>
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

export interface Tables {
  setting: { name: string; value: string }
  country: { id: string; iso3: string; name: string; phone_code: string; currency: string }
  store: {
    id: Id
    name: string
    domain: string
    currency: string
    time_zone: Defaulted<string>
    language: Defaulted<string>
    contact_email: Nullable<string>
    contact_phone: Nullable<string>
    contact_address: Nullable<string>
    created_at: Time
  }
  app: {
    id: Id
    name: string
    client_id: string
    secret_hash: Buffer
    old_secret_hash: Nullable<Buffer>
    old_secret_until: TimeOrNull
    generation: Defaulted<number>
    disabled_at: TimeOrNull
    last_used_at: TimeOrNull
    built_in: Defaulted<boolean>
    created_at: Time
  }
  installation: { id: Id; store_id: string; app_id: string; permissions: string[]; created_at: Time }
  idempotency: {
    installation_id: string
    key: string
    request_hash: Buffer
    status: Nullable<number>
    body: Nullable<string>
    resource_id: Nullable<string>
    etag: Nullable<string>
    created_at: Time
  }
  tally: { store_id: string; kind: string; facet: string; delta: number }
  rate_window: { key: string; window_start: Time; used: number; ends_at: Time }
  category: { store_id: string; id: Id; name: string; name_key: string; created_at: Time }
  blob: {
    store_id: string
    sha256: Buffer
    size: number
    mime_type: string
    has_thumbnail: Defaulted<boolean>
    created_at: Time
  }
  blob_claim: { store_id: string; id: Id; sha256: Buffer; created_at: Time }
  file: {
    store_id: string
    id: Id
    sha256: Buffer
    name: string
    alt: Defaulted<string>
    size: number
    mime_type: string
    thumbnail: Defaulted<boolean>
    created_at: Time
    updated_at: Time
    owner_kinds: Defaulted<string[]>
    is_public: Defaulted<boolean>
    was_sold: Defaulted<boolean>
  }
  file_link: {
    store_id: string
    id: Id
    file_id: string
    role: string
    position: Defaulted<number>
    product_id: Nullable<string>
    variant_id: Nullable<string>
    landing_page_id: Nullable<string>
    review_id: Nullable<string>
  }
  product: {
    store_id: string
    id: Id
    slug: string
    slug_is_twin: Defaulted<boolean>
    title: string
    title_key: string
    description: Nullable<string>
    page_title: Nullable<string>
    meta_description: Nullable<string>
    is_digital: Defaulted<boolean>
    status: Defaulted<string>
    stock_tracked: Defaulted<boolean>
    allow_order_when_oos: Defaulted<boolean>
    category_id: Nullable<string>
    category_key: Nullable<string>
    words: Defaulted<string>
    title_words: Defaulted<string>
    has_stock: Defaulted<boolean>
    out_of_stock: GeneratedAlways<boolean>
    created_at: Time
    updated_at: Time
  }
  product_option: { store_id: string; id: Id; product_id: string; name: string; position: number }
  option_value: {
    store_id: string
    id: Id
    product_id: string
    option_id: string
    value: string
    position: number
  }
  variant: {
    store_id: string
    id: Id
    product_id: string
    title: Defaulted<string>
    price: Money
    compare_price: Money
    sku: Nullable<string>
    quantity: Defaulted<number>
    position: Defaulted<number>
    choice: Defaulted<string>
    created_at: Time
    updated_at: Time
  }
  variant_value: { store_id: string; product_id: string; variant_id: string; option_id: string; value_id: string }
  product_property: {
    store_id: string
    id: Id
    product_id: string
    name: string
    value: string
    position: number
  }
  /** Kept texts: see reading/texts.ts. */
  product_text: { store_id: string; id: string; text: string }
  variant_text: { store_id: string; id: string; text: string }
  order_text: { store_id: string; id: string; text: string }
  /** A view. */
  first_image: { store_id: string; id: string; file_id: string }
  domain: {
    store_id: string
    id: Id
    host: string
    is_primary: Defaulted<boolean>
    created_at: Time
    updated_at: Time
  }
  landing_page: {
    store_id: string
    id: Id
    title: string
    slug: string
    slug_is_twin: Defaulted<boolean>
    path: ColumnType<string, never, never>
    meta_description: Nullable<string>
    product_id: string
    domain_id: Nullable<string>
    screenshot_url: Nullable<string>
    lang: Nullable<string>
    cod_type: Defaulted<string>
    published_at: TimeOrNull
    created_at: Time
    updated_at: Time
  }
  payment_method: {
    store_id: string
    id: Id
    name: string
    status: Defaulted<string>
    payment_types: Defaulted<string[]>
    connected: Defaulted<boolean>
    created_at: Time
  }
  shipping_carrier: {
    store_id: string
    id: Id
    name: string
    code: string
    status: Defaulted<string>
    tracking_url: Nullable<string>
    created_at: Time
  }
  customer: {
    store_id: string
    id: Id
    name: Defaulted<string>
    email: string
    email_key: string
    name_key: Nullable<string>
    phone: Nullable<string>
    phone_digits: Nullable<string>
    address: Nullable<string>
    address_key: Nullable<string>
    city: Nullable<string>
    city_key: Nullable<string>
    postal_code: Nullable<string>
    postal_code_key: Nullable<string>
    search: string
    country_id: Nullable<string>
    subscription_status: Defaulted<string>
    order_count: Defaulted<number>
    amount_spent: Money
    latest_order_id: Nullable<string>
    created_at: Time
    updated_at: Time
  }
  /** Written by triggers on customer. */
  customer_text: {
    store_id: string
    customer_id: string
    name_key: Nullable<string>
    phone_digits: Nullable<string>
    address_key: Nullable<string>
    city_key: Nullable<string>
    postal_code_key: Nullable<string>
    search: string
    country_id: Nullable<string>
  }
  orders: {
    store_id: string
    id: Id
    ref: string
    status: Defaulted<string>
    currency: string
    customer_id: Nullable<string>
    customer_first_name: Defaulted<string>
    customer_last_name: Defaulted<string>
    customer_email: Defaulted<string>
    customer_phone: Defaulted<string>
    customer_address: Defaulted<string>
    customer_city: Defaulted<string>
    customer_state: Defaulted<string>
    customer_postal_code: Defaulted<string>
    country_id: Nullable<string>
    billing_first_name: Defaulted<string>
    billing_last_name: Defaulted<string>
    billing_email: Defaulted<string>
    billing_phone: Defaulted<string>
    billing_address: Defaulted<string>
    billing_city: Defaulted<string>
    billing_state: Defaulted<string>
    billing_postal_code: Defaulted<string>
    card_brand: Nullable<string>
    card_last4: Nullable<string>
    shipping_rate: Money
    shipping_name: Nullable<string>
    discount: Money
    discount_code: Nullable<string>
    tip: Money
    tip_type: Nullable<string>
    tip_value: Money
    bundle_name: Nullable<string>
    bundle_option_name: Nullable<string>
    bundle_price: MoneyOrNull
    fee: Money
    subtotal: Money
    total: Money
    quantity: Defaulted<number>
    is_archived: Defaulted<boolean>
    is_cancelled: Defaulted<boolean>
    cancelled_at: TimeOrNull
    paid_at: TimeOrNull
    meta_data: Json
    payment_method_id: Nullable<string>
    landing_page_id: Nullable<string>
    source_link: Nullable<string>
    delivery_statuses: Defaulted<string[]>
    return_statuses: Defaulted<string[]>
    refund_statuses: Defaulted<string[]>
    created_at: Time
    updated_at: Time
  }
  order_search: { store_id: string; order_id: string; created_at: Date; text: string }
  order_line: {
    store_id: string
    id: Id
    order_id: string
    position: number
    product_id: Nullable<string>
    variant_id: Nullable<string>
    quantity: number
    price: Money
    sku: Nullable<string>
    title: string
    is_digital: boolean
    options: Json
    stock_taken: Defaulted<number>
  }
  delivery: {
    store_id: string
    id: Id
    order_id: string
    is_return: Defaulted<boolean>
    status: Defaulted<string>
    tracking_number: Nullable<string>
    carrier_id: Nullable<string>
    created_at: Time
    updated_at: Time
  }
  delivery_line: {
    store_id: string
    order_id: string
    delivery_id: string
    order_line_id: string
    quantity: number
  }
  order_return: {
    store_id: string
    id: Id
    order_id: string
    reason: Nullable<string>
    delivery_id: Nullable<string>
    created_at: Time
  }
  return_line: {
    store_id: string
    id: Id
    order_id: string
    return_id: string
    order_line_id: string
    quantity: number
    reason: Nullable<string>
    restock: Defaulted<boolean>
  }
  refund: {
    store_id: string
    id: Id
    order_id: string
    return_id: Nullable<string>
    status: Defaulted<string>
    amount: Money
    reason: Nullable<string>
    refunded_at: TimeOrNull
    created_at: Time
  }
  refund_line: {
    store_id: string
    id: Id
    order_id: string
    refund_id: string
    order_line_id: string
    quantity: number
    amount: Money
  }
  order_event: {
    store_id: string
    id: Id
    order_id: string
    app_id: Nullable<string>
    app_name: string
    account_id: Nullable<string>
    account_name: Nullable<string>
    subject: string
    subject_id: string
    from_state: Nullable<string>
    to_state: string
    created_at: Time
  }
  review: {
    store_id: string
    id: Id
    product_id: string
    content: string
    status: Defaulted<string>
    rating: number
    reviewer_name: string
    reviewer_email: Nullable<string>
    created_at: Time
    updated_at: Time
  }
}
