/** Columns of an order with personal data of the customer: names, addresses, email and phone. */
export const CONTACT_COLUMNS = [
  'customer_first_name',
  'customer_last_name',
  'customer_email',
  'customer_phone',
  'customer_address',
  'customer_city',
  'customer_state',
  'customer_postal_code',
  'billing_first_name',
  'billing_last_name',
  'billing_email',
  'billing_phone',
  'billing_address',
  'billing_city',
  'billing_state',
  'billing_postal_code',
] as const
