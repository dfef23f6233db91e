import type { JsonText, Plain } from '../../core/reading/json-text.ts'
import type { Defaulted, Id, Json, Money, MoneyOrNull, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { Order } from './schema.ts'

/** What a column of an order may hold: its type in queries. */
interface ColumnKinds {
  id: Id
  code: string
  status: Defaulted<string>
  text: Defaulted<string>
  optional_text: Nullable<string>
  reference: Nullable<string>
  money: Money
  optional_money: MoneyOrNull
  count: Defaulted<number>
  flag: Defaulted<boolean>
  time: Time
  optional_time: TimeOrNull
  json: Json
}
export type ColumnKind = keyof ColumnKinds

/** How an order shows it. */
interface ShownKinds {
  id: string
  code: string
  status: string
  text: string
  optional_text: string | null
  reference: string | null
  money: number
  optional_money: number | null
  count: number
  flag: boolean
  time: string
  optional_time: string | null
  json: Record<string, unknown>
}

/** What the rows have that an order is rendered from. Amounts of a new order may be text, with all their decimals. */
type RowKinds = {
  [Kind in ColumnKind]: Kind extends 'json'
    ? JsonText<ShownKinds[Kind]>
    : Kind extends 'money' | 'optional_money'
      ? ShownKinds[Kind] | string
      : ShownKinds[Kind]
}

/** The kinds of column that may be shown as such a value. */
type KindOf<Value> = { [Kind in ColumnKind]: ShownKinds[Kind] extends Plain<Value> ? Kind : never }[ColumnKind]

const PERSON = ['first_name', 'last_name', 'email', 'phone', 'address', 'city', 'state', 'postal_code'] as const
type Person = 'customer' | 'billing'

const personColumns = <P extends Person>(prefix: P) => PERSON.map((field) => `${prefix}_${field}` as const)

const person = <P extends Person>(prefix: P) =>
  Object.fromEntries(personColumns(prefix).map((name) => [name, 'text'])) as Record<
    ReturnType<typeof personColumns<P>>[number],
    'text'
  >

/** Columns with personal data of the customer: names, addresses, email and phone. */
export const CONTACT_COLUMNS = [...personColumns('customer'), ...personColumns('billing')]

/**
 * The columns that an order shows as they are, by their names. Orders are written, read, shown and exported by this
 * declaration, and the types of queries follow it. The schema has their descriptions, and the order in which they are shown.
 */
export const SHOWN_COLUMNS = {
  id: 'id',
  ref: 'code',
  status: 'status',
  currency: 'code',
  ...person('customer'),
  customer_id: 'reference',
  ...person('billing'),
  card_brand: 'optional_text',
  card_last4: 'optional_text',
  shipping_rate: 'money',
  shipping_name: 'optional_text',
  discount: 'money',
  discount_code: 'optional_text',
  tip: 'money',
  tip_type: 'optional_text',
  tip_value: 'money',
  bundle_name: 'optional_text',
  bundle_option_name: 'optional_text',
  bundle_price: 'optional_money',
  fee: 'money',
  subtotal: 'money',
  total: 'money',
  quantity: 'count',
  is_archived: 'flag',
  is_cancelled: 'flag',
  cancelled_at: 'optional_time',
  paid_at: 'optional_time',
  created_at: 'time',
  updated_at: 'time',
  meta_data: 'json',
  source_link: 'optional_text',
} as const satisfies { [Name in keyof Order]?: KindOf<Order[Name]> }
export type ShownColumn = keyof typeof SHOWN_COLUMNS

/** Columns that are shown otherwise: references as what they refer to, those of a confirmation as one object. */
const OTHER_COLUMNS = {
  country_id: 'reference',
  payment_method_id: 'reference',
  landing_page_id: 'reference',
  confirmation: 'reference',
  confirmation_attempts: 'count',
  confirmation_next_at: 'optional_time',
  confirmation_by: 'optional_text',
  confirmation_at: 'optional_time',
  confirmation_note: 'optional_text',
} as const satisfies Record<string, ColumnKind>

/** The columns that an order is rendered from. */
export const RENDERED_COLUMNS = { ...SHOWN_COLUMNS, ...OTHER_COLUMNS }

export const ORDER_COLUMNS = { ...RENDERED_COLUMNS, phone_e164: 'reference' } as const
type OrderColumns = typeof ORDER_COLUMNS
type OrderColumn = keyof OrderColumns

export type OrderTable = { [Name in OrderColumn]: ColumnKinds[OrderColumns[Name]] }

/** An order as its text is rendered from it. */
export type OrderRow = { [Name in keyof typeof RENDERED_COLUMNS]: RowKinds[OrderColumns[Name]] }

/** What a new order has in a column for which nothing is given. */
const DEFAULTS = {
  text: '',
  optional_text: null,
  reference: null,
  money: 0,
  optional_money: null,
  count: 0,
  flag: false,
  optional_time: null,
} as const satisfies Partial<RowKinds>
type DefaultKind = keyof typeof DEFAULTS
type DefaultColumn = { [Name in OrderColumn]: OrderColumns[Name] extends DefaultKind ? Name : never }[OrderColumn]

const hasDefault = (kind: ColumnKind): kind is DefaultKind => kind in DEFAULTS

const defaultsOf = (columns: Readonly<Record<string, ColumnKind>>) =>
  Object.entries(columns).flatMap(([name, kind]) => (hasDefault(kind) ? [[name, DEFAULTS[kind]] as const] : []))

/** A new order for which nothing is given. */
export const EMPTY_ORDER = Object.fromEntries(defaultsOf(RENDERED_COLUMNS)) as Pick<
  OrderRow,
  DefaultColumn & keyof OrderRow
>

/** Takes the columns that a caller may give from the input, or their defaults; always in the same order. */
export const createGivenColumns = <Input extends object>(fields: Readonly<Record<keyof Input, unknown>>) => {
  const defaults = defaultsOf(ORDER_COLUMNS).filter(([name]) => name in fields)
  return (input: Input) =>
    Object.fromEntries(defaults.map(([name, other]) => [name, input[name as keyof Input] ?? other])) as {
      [Name in Extract<DefaultColumn, keyof Input>]: RowKinds[OrderColumns[Name]]
    }
}
