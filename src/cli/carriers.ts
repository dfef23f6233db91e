import {
  createCarrier,
  disableCarrierById,
  enableCarrierById,
  listCarriers,
  updateCarrier,
} from '../carriers/manage-carriers.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }

const CARRIER_ID = { name: 'CARRIER_ID', about: 'Id of the carrier, from carrier list.' }
const TRACKING_URL = {
  value: 'URL',
  about: 'URL of the tracking page, with {tracking_number} as a placeholder.',
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
    summary: 'Adds a shipping carrier to a store.',
    options: {
      store,
      name: { value: 'NAME', required: true, about: 'Name of the carrier.' },
      code: { value: 'CODE', required: true, about: 'Short code, unique in the store, such as aramex.' },
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
    summary: 'Disables a carrier. Existing deliveries keep it.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier disable', async ({ db }) => ({
        value: await disableCarrierById(db, input.text('CARRIER_ID')),
      })),
  },
  {
    name: 'carrier enable',
    summary: 'Enables a disabled carrier.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier enable', async ({ db }) => ({
        value: await enableCarrierById(db, input.text('CARRIER_ID')),
      })),
  },
  {
    name: 'carrier update',
    summary: 'Changes the given fields of a carrier. Tracking links of its deliveries change with it.',
    operands: [CARRIER_ID],
    options: {
      name: { value: 'NAME', about: 'Name of the carrier.' },
      code: { value: 'CODE', about: 'Short code, unique in the store, such as aramex.' },
      'tracking-url': TRACKING_URL,
      'no-tracking-url': { about: 'Remove the tracking URL.' },
    },
    run: async (input, io) => {
      const changes = { name: input.optional('name'), code: input.optional('code'), trackingUrl: trackingUrl(input) }
      return withDatabase(io, 'carrier update', async ({ db }) => ({
        value: await updateCarrier(db, input.text('CARRIER_ID'), changes),
      }))
    },
  },
]
