import type { SeedContext } from '../../tests/support/samples.ts'

export const seed = async ({ api }: SeedContext) => ({
  payment: await api.db
    .insertInto('payment_method')
    .values({ store_id: api.store.id, name: 'Card' })
    .returning('id')
    .executeTakeFirstOrThrow(),
})
