import { type CsvLine, type CsvRow, given } from './row.ts'

type Field =
  | 'name'
  | 'first'
  | 'last'
  | 'email'
  | 'phone'
  | 'address'
  | 'address2'
  | 'city'
  | 'postal'
  | 'country'
  | 'subscribed'
type Columns = Readonly<Partial<Record<Field, readonly string[]>>>

/** Column names of older and of newer exports. */
const SHOPIFY: Columns = {
  first: ['first name'],
  last: ['last name'],
  email: ['email'],
  phone: ['phone', 'default address phone'],
  address: ['default address address1', 'address1'],
  address2: ['default address address2', 'address2'],
  city: ['default address city', 'city'],
  postal: ['default address zip', 'zip'],
  country: ['default address country code', 'country code'],
  subscribed: ['accepts email marketing', 'accepts marketing'],
}

/** Of its own report, and of the export plugins, which name the columns after its fields. */
const WOOCOMMERCE: Columns = {
  name: ['name'],
  first: ['billing_first_name', 'first_name'],
  last: ['billing_last_name', 'last_name'],
  email: ['email', 'user_email', 'billing_email'],
  phone: ['billing_phone', 'phone'],
  address: ['billing_address_1'],
  address2: ['billing_address_2'],
  city: ['city', 'billing_city'],
  postal: ['postal code', 'billing_postcode'],
  country: ['country / region', 'billing_country'],
}

const OWN: Columns = {
  name: ['name'],
  email: ['email'],
  phone: ['phone'],
  address: ['address'],
  city: ['city'],
  postal: ['postal_code'],
  country: ['country_id'],
  subscribed: ['subscription_status'],
}

const namesOf = (columns: Columns) => Object.values(columns).flat()
export const SHOPIFY_CUSTOMER_COLUMNS = namesOf(SHOPIFY)
export const WOOCOMMERCE_CUSTOMER_COLUMNS = namesOf(WOOCOMMERCE)
export const OWN_CUSTOMER_COLUMNS = namesOf(OWN)

export const isShopifyCustomers = (names: readonly string[]) =>
  ['first name', 'last name', 'email'].every((name) => names.includes(name))
export const isWooCommerceCustomers = (names: readonly string[]) =>
  names.includes('billing_email') || names.includes('user_email') || names.includes('country / region')

const join = (separator: string, ...texts: (string | undefined)[]) =>
  texts.filter((text) => text !== undefined).join(separator) || undefined

const SUBSCRIBED = /^(1|yes|true|subscribed)$/i

const customerOf =
  (columns: Columns) =>
  (row: CsvRow): CsvLine => {
    const cell = (field: Field) => columns[field]?.map((name) => row.get(name)).find((text) => text !== undefined)
    const subscribed = cell('subscribed')
    return {
      row: row.number,
      fields: given({
        email: cell('email'),
        name: cell('name') ?? join(' ', cell('first'), cell('last')),
        // Shopify guards numbers against spreadsheets.
        phone: cell('phone')?.replace(/^'/, ''),
        address: join(', ', cell('address'), cell('address2')),
        city: cell('city'),
        postal_code: cell('postal')?.replace(/^'/, ''),
        country_id: cell('country')?.toUpperCase(),
        subscription_status:
          subscribed === undefined ? undefined : SUBSCRIBED.test(subscribed) ? 'subscribed' : 'not_subscribed',
      }),
    }
  }

const reader = (columns: Columns) => {
  const read = customerOf(columns)
  return async function* (rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvLine> {
    for await (const row of rows) yield read(row)
  }
}

export const shopifyCustomers = reader(SHOPIFY)
export const wooCommerceCustomers = reader(WOOCOMMERCE)
export const ownCustomers = reader(OWN)
