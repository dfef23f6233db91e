import { createPaymentMethod, listPaymentMethods, updatePaymentMethod } from '../resources/payment-methods/queries.ts'
import { PAYMENT_METHOD_STATUSES, PaymentMethodFields } from '../resources/payment-methods/schema.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { findStoreOf, requireChange, withFields } from './fields.ts'
import { recordedInStore } from './recorded.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }
const fields = {
  type: { value: 'TYPE', many: true, about: 'Kinds of payment, such as card cod bank_transfer wallet.' },
  status: { value: PAYMENT_METHOD_STATUSES.join('|'), about: 'Whether the store offers the method.' },
  connected: { value: 'true|false', about: 'Whether the account at the payment provider is set up.' },
}

const readFields = (input: Input) => {
  const connected = input.optional('connected')
  if (connected !== undefined && connected !== 'true' && connected !== 'false')
    throw new UsageError('--connected must be true or false.')
  return {
    name: input.optional('name'),
    payment_types: input.has('type') ? input.list('type').flatMap((word) => word.split(',')) : undefined,
    status: input.optional('status'),
    connected: connected === undefined ? undefined : connected === 'true',
  }
}

const OPTION_NAMES = { payment_types: 'type' }

export const paymentMethodCommands: readonly Command[] = [
  {
    name: 'payment-method create',
    summary: 'Adds a payment method to a store, for payment_method_id of orders.',
    options: { store, name: { value: 'NAME', required: true, about: 'Name that shoppers see.' }, ...fields },
    run: async (input, io) => {
      const values = { ...readFields(input), name: input.text('name') }
      return withDatabase(io, 'payment-method create', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const create = (fields: PaymentMethodFields) =>
          recordedInStore(db, 'payment-method create', store, (db) =>
            createPaymentMethod(db, store, { ...fields, name: values.name }),
          )
        return { value: await withFields(PaymentMethodFields, values, create, OPTION_NAMES) }
      })
    },
  },
  {
    name: 'payment-method list',
    summary: 'Lists the payment methods of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'payment-method list', async ({ db }) => ({
        value: await listPaymentMethods(db, await requireStore(db, input.text('store'))),
      })),
  },
  {
    name: 'payment-method update',
    summary: 'Changes the given fields of a payment method.',
    details: 'Orders paid with it show the change. They keep an inactive method.',
    operands: [{ name: 'PAYMENT_METHOD_ID', about: 'Id of the payment method, from payment-method list.' }],
    options: { name: { value: 'NAME', about: 'Name that shoppers see.' }, ...fields },
    run: async (input, io) => {
      const values = readFields(input)
      requireChange(values, '--name, --type, --status or --connected')
      return withDatabase(io, 'payment-method update', async ({ db }) => {
        const id = input.text('PAYMENT_METHOD_ID')
        const store = await findStoreOf(db, 'payment_method', id, 'payment method')
        const update = (fields: PaymentMethodFields) =>
          recordedInStore(db, 'payment-method update', store, (db) => updatePaymentMethod(db, store, id, fields))
        return { value: await withFields(PaymentMethodFields, values, update, OPTION_NAMES) }
      })
    },
  },
]
