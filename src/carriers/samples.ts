import { randomUUID } from 'node:crypto'
import type { SeedContext } from '../../tests/support/samples.ts'
import { createCarrier } from './manage-carriers.ts'

export const seed = async ({ api }: SeedContext) => ({
  carrier: await createCarrier(api.db, api.store.id, { name: 'Swift', code: randomUUID() }),
})
