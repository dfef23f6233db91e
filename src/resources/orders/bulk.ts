import type { BulkResource } from '../../core/http/resource.ts'
import { createChecker } from '../../core/input/validation.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { findBy } from '../bulk/find-by-line.ts'
import { requireRoom } from '../plans/limits.ts'
import { NewOrder, OrderChanges } from './order-input.ts'
import { placeOrder } from './place-order.ts'
import { keepOrderTexts } from './text.ts'
import { updateOrder } from './update-order.ts'

export const orderBulk: BulkResource = {
  table: 'orders',
  permissions: { create: 'order:create', update: 'order:update' },
  find: { ref: findBy('orders', 'ref', sqlText`ref = $2`) },
  creation: createChecker(NewOrder),
  changes: createChecker(OrderChanges),
  create: async (db, { store, app, limits }, body: NewOrder) => {
    await requireRoom(db, { store, limits }, 'orders')
    return (await placeOrder(db, store, app, body)).order
  },
  update: async (db, { store, app }, id, body: OrderChanges) => {
    await updateOrder(db, store, app, id, body)
    await keepOrderTexts(db, store, [id])
  },
  keepTexts: keepOrderTexts,
}
