import { createStore, listStores } from '../stores/manage-stores.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './shell.ts'

export const storeCommands: readonly Command[] = [
  {
    name: 'store create',
    summary: 'Creates a store.',
    options: {
      name: { value: 'NAME', required: true, about: 'What the store is called.' },
      domain: { value: 'DOMAIN', about: 'Where its shoppers are; links in orders and landing pages point there.' },
      currency: { value: 'CODE', about: 'Three capital letters of ISO 4217; USD if not given.' },
    },
    run: (input, shell) =>
      withDatabase(shell, 'store create', async ({ db }) => ({
        value: await createStore(db, {
          name: input.text('name'),
          domain: input.optional('domain'),
          currency: input.optional('currency'),
        }),
      })),
  },
  {
    name: 'store list',
    summary: 'Lists the stores.',
    run: (_input, shell) => withDatabase(shell, 'store list', async ({ db }) => ({ value: await listStores(db) })),
  },
]
