import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type { PaymentMethodFields } from './schema.ts'

export const paymentMethodExists = createExistenceCheck('payment_method')

const shown = ['id', 'name', 'status', 'payment_types', 'connected'] as const

export const listPaymentMethods = (db: Db, store: StoreId) =>
  db.selectFrom('payment_method').select(shown).where('store_id', '=', store).orderBy('name').orderBy('id').execute()

const columnsOf = ({ name, payment_types, ...others }: PaymentMethodFields) => ({
  ...others,
  ...(name !== undefined && { name: name.trim() }),
  ...(payment_types && { payment_types: [...new Set(payment_types)] }),
})

export const createPaymentMethod = (db: Db, store: StoreId, fields: PaymentMethodFields & { name: string }) =>
  db
    .insertInto('payment_method')
    .values({ store_id: store, ...columnsOf(fields), name: fields.name.trim() })
    .returning(shown)
    .executeTakeFirstOrThrow()

/** Orders paid with it show the change. They keep an inactive method. */
export const updatePaymentMethod = async (db: Db, store: StoreId, id: string, fields: PaymentMethodFields) => {
  if (Object.keys(fields).length === 0) return undefined
  const changed = await db
    .updateTable('payment_method')
    .set(columnsOf(fields))
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()
  if (!changed) throw notFound('payment method')
  return changed
}
