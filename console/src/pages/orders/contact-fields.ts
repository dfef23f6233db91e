import type { Order } from './labels.ts'

export const CONTACT_FIELDS = [
  'customer_first_name',
  'customer_last_name',
  'customer_phone',
  'customer_email',
  'customer_address',
  'customer_city',
  'customer_state',
  'customer_postal_code',
  'country_id',
] as const

export type Contact = Record<(typeof CONTACT_FIELDS)[number], string>

export const NO_CONTACT = Object.fromEntries(CONTACT_FIELDS.map((name) => [name, ''])) as Contact

export const contactOf = (order: Order): Contact => ({
  customer_first_name: order.customer_first_name,
  customer_last_name: order.customer_last_name,
  customer_phone: order.customer_phone,
  customer_email: order.customer_email,
  customer_address: order.customer_address,
  customer_city: order.customer_city,
  customer_state: order.customer_state,
  customer_postal_code: order.customer_postal_code,
  country_id: order.customer_country?.id ?? '',
})

/** As the API takes them: no country is null. */
export const contactBody = ({ country_id, ...texts }: Partial<Contact>) => ({
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])),
  ...(country_id !== undefined && { country_id: country_id || null }),
})
