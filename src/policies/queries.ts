import { sql } from 'kysely'
import { createExistenceCheck } from '../reading/single-row.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

export const policyExists = createExistenceCheck('policy')

export const slugIsTaken = async (db: Tx, store: StoreId, slug: string) =>
  (await db
    .selectFrom('policy')
    .select('id')
    .where('store_id', '=', store)
    .where(sql<boolean>`slug_key(slug) = slug_key(${slug})`)
    .executeTakeFirst()) !== undefined
