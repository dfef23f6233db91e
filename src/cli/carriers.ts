import { createCarrier, disableCarrierById, listCarriers } from '../carriers/manage-carriers.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './shell.ts'

const store = { value: 'STORE_ID', required: true, about: 'The store, as store list shows it.' }

export const carrierCommands: readonly Command[] = [
  {
    name: 'carrier create',
    summary: 'Gives a store a shipping carrier.',
    options: {
      store,
      name: { value: 'NAME', required: true, about: 'What the carrier is called.' },
      code: { value: 'CODE', required: true, about: 'Short, and unique in the store: aramex.' },
      'tracking-url': {
        value: 'URL',
        about: 'Where a parcel is followed, with {tracking_number} in the place of its number.',
      },
    },
    run: (input, shell) =>
      withDatabase(shell, 'carrier create', async ({ db }) => ({
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
    run: (input, shell) =>
      withDatabase(shell, 'carrier list', async ({ db }) => ({ value: await listCarriers(db, input.text('store')) })),
  },
  {
    name: 'carrier disable',
    summary: 'Takes a carrier out of use; deliveries under way keep it.',
    operands: [{ name: 'CARRIER_ID', about: 'The carrier, as carrier list shows it.' }],
    run: (input, shell) =>
      withDatabase(shell, 'carrier disable', async ({ db }) => ({
        value: await disableCarrierById(db, input.text('CARRIER_ID')),
      })),
  },
]
