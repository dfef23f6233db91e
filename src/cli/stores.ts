import { transact } from '../storage/database.ts'
import { createStore, findStore, listStores, updateStore } from '../stores/manage-stores.ts'
import { countContents, deleteStore } from '../stores/remove-store.ts'
import type { Command, Input } from './arguments.ts'
import { confirm, withBlobs, withDatabase, YES } from './command-context.ts'

const STORE_ID = { name: 'STORE_ID', about: 'The store, as store list shows it.' }

const fields = {
  domain: {
    value: 'DOMAIN',
    about: 'Where its shoppers are: a host name. Links in orders and landing pages point there.',
  },
  currency: { value: 'CODE', about: 'Three capital letters of ISO 4217, such as TND.' },
}

const readFields = (input: Input) => ({ domain: input.optional('domain'), currency: input.optional('currency') })

export const storeCommands: readonly Command[] = [
  {
    name: 'store create',
    summary: 'Creates a store.',
    details: 'Without --domain it gets one that ends in localhost; without --currency, USD.',
    options: {
      name: { value: 'NAME', required: true, about: 'What the store is called.' },
      ...fields,
    },
    run: (input, io) =>
      withDatabase(io, 'store create', async ({ db }) => ({
        value: await createStore(db, {
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
    summary: 'Changes a store; what is not given stays.',
    details: 'Links follow the domain at once. Orders keep the currency they were placed in.',
    operands: [STORE_ID],
    options: { name: { value: 'NAME', about: 'What the store is called.' }, ...fields },
    run: (input, io) =>
      withDatabase(io, 'store update', async ({ db }) => ({
        value: await updateStore(db, input.text('STORE_ID'), { name: input.optional('name'), ...readFields(input) }),
      })),
  },
  {
    name: 'store remove',
    summary: 'Deletes a store with all that is in it, and the bytes of its files.',
    details: 'Its installations go with it: their tokens stop at once. The apps stay. It asks first.',
    operands: [STORE_ID],
    options: YES,
    run: (input, io) =>
      withBlobs(io, 'store remove', async ({ db, blobs }) => {
        const store = await findStore(db, input.text('STORE_ID'))
        const contents = await countContents(db, store.id)
        const listed = Object.entries(contents).map(([what, count]) => `${count} ${what}`)
        await confirm(io, input, `Delete the store ${store.name} with ${listed.join(', ')}.`)
        await transact(db, (db) => deleteStore(db, blobs, store.id))
        return { value: { ...store, ...contents } }
      }),
  },
]
