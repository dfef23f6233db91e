import { createExistenceCheck } from '../reading/single-row.ts'
import type { Db } from '../storage/database.ts'

export const paymentMethodExists = createExistenceCheck('payment_method')

export const listPaymentMethods = (db: Db, store: string) =>
  db
    .selectFrom('payment_method')
    .select(['id', 'name', 'status', 'payment_types', 'connected'])
    .where('store_id', '=', store)
    .orderBy('name')
    .orderBy('id')
    .execute()
