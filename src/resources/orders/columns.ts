import type { Defaulted, Id, Json, Money, MoneyOrNull, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'

/** What a column of an order may hold, with its type in queries. */
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
type ColumnKind = keyof ColumnKinds

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
 * The columns that an order shows as they are, in the order of its JSON and of the export. New orders are written, orders
 * read, shown and exported by this declaration; the types of queries follow it.
 */
export const FLAT_COLUMNS = {
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
} as const satisfies Record<string, ColumnKind>

/** Shown as one object, `confirmation`. */
export const CONFIRMATION_COLUMNS = {
  confirmation: 'reference',
  confirmation_attempts: 'count',
  confirmation_next_at: 'optional_time',
  confirmation_by: 'optional_text',
  confirmation_at: 'optional_time',
  confirmation_note: 'optional_text',
} as const satisfies Record<string, ColumnKind>

/** Columns whose place in the JSON text.ts decides: references are shown as what they refer to. */
export const OTHER_COLUMNS = {
  country_id: 'reference',
  payment_method_id: 'reference',
  landing_page_id: 'reference',
  source_link: 'optional_text',
  meta_data: 'json',
  phone_e164: 'reference',
  ...CONFIRMATION_COLUMNS,
} as const satisfies Record<string, ColumnKind>

const ORDER_COLUMNS = { ...FLAT_COLUMNS, ...OTHER_COLUMNS }
type OrderColumn = keyof typeof ORDER_COLUMNS

export type OrderTable = { [Name in OrderColumn]: ColumnKinds[(typeof ORDER_COLUMNS)[Name]] }

export const flatNames = Object.keys(FLAT_COLUMNS) as (keyof typeof FLAT_COLUMNS)[]

/** What a new order has in a column for which nothing is given. */
const DEFAULTS = { text: '', optional_text: null, reference: null, money: 0, flag: false } as const
interface Given {
  text: string
  optional_text: string | null
  reference: string | null
  money: number
  flag: boolean
}
type GivenKind = keyof Given
type GivenColumn<Input> = Extract<
  { [Name in OrderColumn]: (typeof ORDER_COLUMNS)[Name] extends GivenKind ? Name : never }[OrderColumn],
  keyof Input
>
type GivenValues<Input> = { [Name in GivenColumn<Input>]: Given[(typeof ORDER_COLUMNS)[Name] & GivenKind] }

const isGivenKind = (kind: ColumnKind): kind is GivenKind => kind in DEFAULTS

/** Takes the columns that a caller may give from the input, or their defaults; always in the same order. */
export const createGivenColumns = <Input extends object>(fields: Readonly<Record<keyof Input, unknown>>) => {
  const defaults = Object.entries<ColumnKind>(ORDER_COLUMNS).flatMap(([name, kind]) =>
    name in fields && isGivenKind(kind) ? [[name as keyof Input, DEFAULTS[kind]] as const] : [],
  )
  return (input: Input) =>
    Object.fromEntries(defaults.map(([name, other]) => [name, input[name] ?? other])) as GivenValues<Input>
}
