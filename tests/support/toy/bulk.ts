import type { BulkResource } from '../../../src/core/http/resource.ts'
import { createChecker } from '../../../src/core/input/validation.ts'
import { sqlText } from '../../../src/core/storage/sql.ts'
import { findBy } from '../../../src/resources/bulk/find-by-line.ts'
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
