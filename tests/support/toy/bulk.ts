import { findBy } from '../../../src/bulk/find-by-line.ts'
import type { BulkResource } from '../../../src/http/resource.ts'
import { createChecker } from '../../../src/input/validation.ts'
import { sqlText } from '../../../src/storage/sql.ts'
import { insertDiscount, updateDiscount } from './queries.ts'
import { DiscountChanges, NewDiscount } from './schema.ts'

export const discountBulk: BulkResource = {
  table: 'discount',
  permissions: { create: 'product:create', update: 'product:update' },
  find: { code: findBy('discount', 'code', sqlText`code = $2`) },
  creation: createChecker(NewDiscount),
  changes: createChecker(DiscountChanges),
  create: (db, { store }, body: NewDiscount) => insertDiscount(db, store, body),
  update: (db, { store }, id, body: DiscountChanges) => updateDiscount(db, store, id, body),
}
