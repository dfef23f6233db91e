import { type Static, Type } from 'typebox'
import { Email } from '../../core/input/email.ts'
import {
  creation,
  listQuery,
  nullable,
  oneOf,
  ref,
  refByName,
  resource,
  Text,
  Timestamp,
  Uuid,
} from '../../core/input/schemas.ts'
import { updatedBounds } from '../../core/reading/filters.ts'
import { Country } from '../countries/schema.ts'

const SubscriptionStatus = oneOf(['subscribed', 'not_subscribed'])

export const Customer = resource(
  'Customer',
  Type.Object(
    {
      id: Uuid,
      name: Type.String(),
      email: Type.String(),
      phone: nullable(Type.String()),
      address: nullable(Type.String()),
      city: nullable(Type.String()),
      postal_code: nullable(Type.String()),
      country_id: nullable(Type.String()),
      created_at: Timestamp,
      updated_at: Timestamp,
      country: nullable(ref(Country)),
      order_count: Type.Integer({ minimum: 0 }),
      amount_spent: Type.Number({ description: 'Sum of the paid orders.' }),
      latest_order: nullable(refByName('Order')),
      subscription_status: SubscriptionStatus,
    },
    { additionalProperties: false },
  ),
)
export type Customer = Static<typeof Customer>

export const CustomerQuery = listQuery(
  [
    'amount_spent',
    'order_count',
    'name',
    'email',
    'phone',
    'address',
    'city',
    'postal_code',
    'created_at',
    'updated_at',
    'subscription_status',
  ],
  'created_at',
  {
    search: Type.Optional(
      Text(255, {
        description:
          'Part of a name, email, phone, address, city or postal code. Case, accents and the kind of apostrophe ' +
          'do not matter, nor do the spacing and the country code of a phone number.',
      }),
    ),
    country: Type.Optional(Text(8, { description: 'A country id.' })),
    ...updatedBounds,
  },
)
export type CustomerQuery = Static<typeof CustomerQuery>

const optional = {
  name: Type.Optional(Text(255)),
  phone: Type.Optional(nullable(Text(50, { description: 'Stored as sent.' }))),
  address: Type.Optional(nullable(Text(500))),
  city: Type.Optional(nullable(Text(255))),
  postal_code: Type.Optional(nullable(Text(32))),
  country_id: Type.Optional(nullable(Text(8, { description: 'A country id.' }))),
  subscription_status: Type.Optional(SubscriptionStatus),
}

export const NewCustomer = creation({ email: Email, ...optional })
export type NewCustomer = Static<typeof NewCustomer>

export const CustomerChanges = Type.Object({ email: Type.Optional(Email), ...optional })
export type CustomerChanges = Static<typeof CustomerChanges>
