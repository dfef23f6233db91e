import type { Db, Tx } from '../core/storage/database.ts'
import { createCarrier } from '../resources/carriers/create-carrier.ts'
import { deleteCarrier } from '../resources/carriers/delete-carrier.ts'
import { listCarriers, updateCarrier } from '../resources/carriers/queries.ts'
import { CarrierChanges, NewCarrier } from '../resources/carriers/schema.ts'
import { requireStore } from '../resources/stores/queries.ts'
import { type Command, type Input, UsageError } from './arguments.ts'
import { withDatabase } from './command-context.ts'
import { findStoreOf, requireChange, withFields } from './fields.ts'
import { recordedInStore } from './recorded.ts'

const store = { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' }

const CARRIER_ID = { name: 'CARRIER_ID', about: 'Id of the carrier, from carrier list.' }
const TRACKING_URL = {
  value: 'URL',
  about: 'URL of the tracking page, with {tracking_number} as a placeholder.',
}

const trackingUrl = (input: Input) => {
  const fields = input.optional('tracking-url')
  if (!input.has('no-tracking-url')) return fields
  if (fields !== undefined) throw new UsageError('Give --tracking-url or --no-tracking-url, not both.')
  return null
}

const changeCarrier = async (db: Db, command: string, id: string, given: CarrierChanges) => {
  const store = await findStoreOf(db, 'shipping_carrier', id, 'carrier')
  const change = (changes: CarrierChanges) =>
    recordedInStore(db, command, store, (db) => updateCarrier(db, store, id, changes))
  return { value: await withFields(CarrierChanges, given, change) }
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
      withDatabase(io, 'carrier create', async ({ db }) => {
        const store = await requireStore(db, input.text('store'))
        const fields = {
          name: input.text('name'),
          code: input.text('code'),
          tracking_url: input.optional('tracking-url'),
        }
        const create = (carrier: NewCarrier) =>
          recordedInStore(db, 'carrier create', store, (db) => createCarrier(db, store, carrier))
        return { value: await withFields(NewCarrier, fields, create) }
      }),
  },
  {
    name: 'carrier list',
    summary: 'Lists the shipping carriers of a store.',
    options: { store },
    run: (input, io) =>
      withDatabase(io, 'carrier list', async ({ db }) => ({
        value: await listCarriers(db, await requireStore(db, input.text('store')), 'all'),
      })),
  },
  {
    name: 'carrier disable',
    summary: 'Disables a carrier. Existing deliveries keep it.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier disable', ({ db }) =>
        changeCarrier(db, 'carrier disable', input.text('CARRIER_ID'), { status: 'inactive' }),
      ),
  },
  {
    name: 'carrier enable',
    summary: 'Enables a disabled carrier.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier enable', ({ db }) =>
        changeCarrier(db, 'carrier enable', input.text('CARRIER_ID'), { status: 'active' }),
      ),
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
      const fields = { name: input.optional('name'), code: input.optional('code'), tracking_url: trackingUrl(input) }
      requireChange(fields, '--name, --code, --tracking-url or --no-tracking-url')
      return withDatabase(io, 'carrier update', ({ db }) =>
        changeCarrier(db, 'carrier update', input.text('CARRIER_ID'), fields as CarrierChanges),
      )
    },
  },
  {
    name: 'carrier delete',
    summary: 'Deletes a carrier, or disables it if deliveries use it.',
    operands: [CARRIER_ID],
    run: (input, io) =>
      withDatabase(io, 'carrier delete', async ({ db }) => {
        const id = input.text('CARRIER_ID')
        const store = await findStoreOf(db, 'shipping_carrier', id, 'carrier')
        const remove = async (db: Tx) => ({ id, deleted: await deleteCarrier(db, store, id) })
        return { value: await recordedInStore(db, 'carrier delete', store, remove) }
      }),
  },
]
