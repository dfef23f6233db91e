import { requireStore } from '../resources/stores/queries.ts'
import type { Command } from './arguments.ts'
import { withDatabase } from './command-context.ts'

export const policyCommands: readonly Command[] = [
  {
    name: 'policy list',
    summary: 'Lists the policies of a store.',
    details: 'Their contents are shown by GET /policy.',
    options: { store: { value: 'STORE_ID', required: true, about: 'Id of the store, from store list.' } },
    run: (input, io) =>
      withDatabase(io, 'policy list', async ({ db }) => ({
        value: await db
          .selectFrom('policy')
          .select(['id', 'type', 'title', 'slug', 'is_published', 'updated_at'])
          .where('store_id', '=', await requireStore(db, input.text('store')))
          .orderBy('created_at')
          .orderBy('id')
          .execute(),
      })),
  },
]
