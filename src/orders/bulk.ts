import { findBy } from '../bulk/find-by-line.ts'
import type { BulkResource } from '../http/resource.ts'
import { createChecker } from '../input/validation.ts'
import { sqlText } from '../storage/sql.ts'
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
  create: async (db, { store, app }, body: NewOrder) => (await placeOrder(db, store, app, body)).order,
  update: (db, { store, app }, id, body: OrderChanges) => updateOrder(db, store, app, id, body),
  keepTexts: keepOrderTexts,
}
