import { COMMAND_LINE } from '../resources/accounts/audit.ts'
import { addStore, changeStore, removeStore, resumeStore, suspendStore } from '../resources/operator/manage-stores.ts'
import { SettingsChanges } from '../resources/settings/schema.ts'
import { checkSettings } from '../resources/settings/update-settings.ts'
import { findStore, listStores } from '../resources/stores/queries.ts'
import { countContents } from '../resources/stores/remove-store.ts'
import type { Command, Input } from './arguments.ts'
import { confirm, withBlobs, withDatabase, YES } from './command-context.ts'
import { withFields } from './fields.ts'

const STORE_ID = { name: 'STORE_ID', about: 'Id of the store, from store list.' }

const fields = {
  domain: {
    value: 'DOMAIN',
    about: 'Host name of the storefront. Links in orders and landing pages use it.',
  },
  currency: { value: 'CODE', about: 'ISO 4217 currency code, such as TND.' },
}

const readFields = (input: Input) => ({ domain: input.optional('domain'), currency: input.optional('currency') })

const settings = {
  'time-zone': {
    value: 'ZONE',
    about: 'IANA name, such as Africa/Tunis. Days of reports are those of this time zone.',
  },
  language: { value: 'TAG', about: 'Language tag, such as ar or fr-TN.' },
  'contact-email': { value: 'EMAIL', about: 'Email address for shoppers.' },
  'contact-phone': { value: 'PHONE', about: 'Phone number for shoppers.' },
  'contact-address': { value: 'ADDRESS', about: 'Address for shoppers.' },
}

const readSettings = (input: Input) => ({
  time_zone: input.optional('time-zone'),
  language: input.optional('language'),
  contact_email: input.optional('contact-email'),
  contact_phone: input.optional('contact-phone'),
  contact_address: input.optional('contact-address'),
})

export const storeCommands: readonly Command[] = [
  {
    name: 'store create',
    summary: 'Creates a store.',
    details: 'The default domain ends in localhost, the default currency is USD.',
    options: {
      name: { value: 'NAME', required: true, about: 'Name of the store.' },
      ...fields,
    },
    run: (input, io) =>
      withDatabase(io, 'store create', async ({ db }) => ({
        value: await addStore(db, COMMAND_LINE, {
          name: input.text('name'),
          ...readFields(input),
        }),
      })),
  },
  {
    name: 'store list',
    summary: 'Lists the stores.',
    run: (_input, io) => withDatabase(io, 'store list', async ({ db }) => ({ value: await listStores(db) })),
  },
  {
    name: 'store update',
    summary: 'Changes the given fields of a store.',
    details: 'Links use the new domain at once. Orders keep their currency.',
    operands: [STORE_ID],
    options: { name: { value: 'NAME', about: 'Name of the store.' }, ...fields, ...settings },
    run: (input, io) =>
      withDatabase(io, 'store update', async ({ db }) => {
        const checked = await withFields(SettingsChanges, readSettings(input), (changes) =>
          checkSettings(db, changes, { isOn: false }),
        )
        const changes = { name: input.optional('name'), ...readFields(input), ...checked }
        return { value: await changeStore(db, COMMAND_LINE, input.text('STORE_ID'), changes) }
      }),
  },
  {
    name: 'store suspend',
    summary: 'Refuses every token of a store, effective at once. Its data stays.',
    details: 'Calls get 403 store_suspended. In the console, its people see the store and change nothing.',
    operands: [STORE_ID],
    run: (input, io) =>
      withDatabase(io, 'store suspend', async ({ db }) => ({
        value: await suspendStore(db, COMMAND_LINE, input.text('STORE_ID')),
      })),
  },
  {
    name: 'store resume',
    summary: 'Takes the tokens of a suspended store again.',
    operands: [STORE_ID],
    run: (input, io) =>
      withDatabase(io, 'store resume', async ({ db }) => ({
        value: await resumeStore(db, COMMAND_LINE, input.text('STORE_ID')),
      })),
  },
  {
    name: 'store remove',
    summary: 'Deletes a store with all its data and files.',
    details:
      'Its installations are deleted, and their tokens stop working at once. Apps are kept. Asks for confirmation.',
    operands: [STORE_ID],
    options: YES,
    run: (input, io) =>
      withBlobs(io, 'store remove', async ({ db, blobs }) => {
        const store = await findStore(db, input.text('STORE_ID'))
        const contents = await countContents(db, store.id)
        const listed = Object.entries(contents).map(([what, count]) => `${count} ${what}`)
        await confirm(io, input, `Delete the store ${store.name} with ${listed.join(', ')}.`)
        await removeStore(db, blobs, COMMAND_LINE, store.id)
        return { value: { ...store, ...contents } }
      }),
  },
]
