import {
  createPaymentMethod,
  listPaymentMethods,
  PAYMENT_METHOD_STATUSES,
  updatePaymentMethod,
} from '../payment-methods/manage-payment-methods.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const store = { value: 'STORE_ID', required: true, about: 'The store, as store list shows it.' }
const fields = {
  type: { value: 'TYPE', many: true, about: 'How it is paid: card cod bank_transfer wallet, say.' },
  status: { value: PAYMENT_METHOD_STATUSES.join('|'), about: 'Whether the store offers it.' },
  connected: { value: 'true|false', about: 'Whether the account at the payment provider is set up.' },
}

const readFields = (input: Input) => {
  const connected = input.optional('connected')
  if (connected !== undefined && connected !== 'true' && connected !== 'false')
    throw new UsageError('--connected must be true or false.')
  return {
    name: input.optional('name'),
    types: input.has('type') ? input.list('type').flatMap((word) => word.split(',')) : undefined,
    status: input.optional('status'),
    connected: connected === undefined ? undefined : connected === 'true',
  }
}

export const paymentMethodCommands: readonly Command[] = [
  {
    name: 'payment-method create',
    summary: 'Gives a store a payment method, for the payment_method_id of orders.',
    options: { store, name: { value: 'NAME', required: true, about: 'What shoppers call it.' }, ...fields },
    run: async (input, io) => {
      const given = { ...readFields(input), name: input.text('name') }
      return withDatabase(io, 'payment-method create', async ({ db }) => ({
        value: await createPaymentMethod(db, input.text('store'), given),
      }))
    },
  },
  {
    name: 'payment-method list',
    summary: 'Lists the payment methods of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'payment-method list', async ({ db }) => ({
        value: await listPaymentMethods(db, input.text('store')),
      })),
  },
  {
    name: 'payment-method update',
    summary: 'Changes a payment method; what is not given stays.',
    details: 'Orders that were paid with it show the change. An inactive one stays known to them.',
    operands: [{ name: 'PAYMENT_METHOD_ID', about: 'The method, as payment-method list shows it.' }],
    options: { name: { value: 'NAME', about: 'What shoppers call it.' }, ...fields },
    run: async (input, io) => {
      const given = readFields(input)
      return withDatabase(io, 'payment-method update', async ({ db }) => ({
        value: await updatePaymentMethod(db, input.text('PAYMENT_METHOD_ID'), given),
      }))
    },
  },
]
