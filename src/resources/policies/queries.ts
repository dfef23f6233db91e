import { sql } from 'kysely'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import { isUniqueViolation, type Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound } from '../../errors.ts'
import type { PolicyChanges } from './schema.ts'
import type {} from './tables.ts'

export const policyExists = createExistenceCheck('policy')

export const refuseTaken = (error: unknown): never => {
  if (isUniqueViolation(error, 'policy_slug')) throw invalid({ slug: ['is already taken'] })
  if (isUniqueViolation(error, 'policy_type')) throw invalid({ type: ['is the type of another policy'] })
  throw error
}

export const updatePolicy = async (db: Tx, store: StoreId, id: string, changes: PolicyChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  const changed = await db
    .updateTable('policy')
    .set({ ...changes, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
    .catch(refuseTaken)
  if (!changed) throw notFound('policy')
}

export const deletePolicy = async (db: Tx, store: StoreId, id: string): Promise<void> => {
  const deleted = await db
    .deleteFrom('policy')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('policy')
}
