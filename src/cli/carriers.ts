import {
  createCarrier,
  disableCarrierById,
  enableCarrierById,
  listCarriers,
  updateCarrier,
} from '../carriers/manage-carriers.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const store = { value: 'STORE_ID', required: true, about: 'The store, as store list shows it.' }

const CARRIER_ID = { name: 'CARRIER_ID', about: 'The carrier, as carrier list shows it.' }
const TRACKING_URL = {
  value: 'URL',
  about: 'Where a parcel is followed, with {tracking_number} in the place of its number.',
}

const trackingUrl = (input: Input) => {
  const given = input.optional('tracking-url')
  if (!input.has('no-tracking-url')) return given
  if (given !== undefined) throw new UsageError('Give --tracking-url or --no-tracking-url, not both.')
  return null
}

export const carrierCommands: readonly Command[] = [
  {
    name: 'carrier create',
    summary: 'Gives a store a shipping carrier.',
    options: {
      store,
      name: { value: 'NAME', required: true, about: 'What the carrier is called.' },
      code: { value: 'CODE', required: true, about: 'Short, and unique in the store: aramex.' },
      'tracking-url': TRACKING_URL,
    },
    run: (input, io) =>
      withDatabase(io, 'carrier create', async ({ db }) => ({
        value: await createCarrier(db, input.text('store'), {
          name: input.text('name'),
          code: input.text('code'),
          trackingUrl: input.optional('tracking-url'),
        }),
      })),
  },
  {
    name: 'carrier list',
    summary: 'Lists the shipping carriers of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'carrier list', async ({ db }) => ({ value: await listCarriers(db, input.text('store')) })),
  },
  {
    name: 'carrier disable',
    summary: 'Takes a carrier out of use; deliveries under way keep it.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier disable', async ({ db }) => ({
        value: await disableCarrierById(db, input.text('CARRIER_ID')),
      })),
  },
  {
    name: 'carrier enable',
    summary: 'Brings a carrier back into use.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier enable', async ({ db }) => ({
        value: await enableCarrierById(db, input.text('CARRIER_ID')),
      })),
  },
  {
    name: 'carrier update',
    summary: 'Changes a carrier; what is not given stays. Links of its deliveries follow.',
    operands: [CARRIER_ID],
    options: {
      name: { value: 'NAME', about: 'What the carrier is called.' },
      code: { value: 'CODE', about: 'Short, and unique in the store: aramex.' },
      'tracking-url': TRACKING_URL,
      'no-tracking-url': { about: 'Take its tracking address away.' },
    },
    run: async (input, io) => {
      const changes = { name: input.optional('name'), code: input.optional('code'), trackingUrl: trackingUrl(input) }
      return withDatabase(io, 'carrier update', async ({ db }) => ({
        value: await updateCarrier(db, input.text('CARRIER_ID'), changes),
      }))
    },
  },
]
