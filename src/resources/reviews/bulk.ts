import type { BulkResource, LineFields } from '../../core/http/resource.ts'
import { createChecker } from '../../core/input/validation.ts'
import { isFields } from '../bulk/line-fields.ts'
import { createReview } from './create-review.ts'
import { ImportedChanges, ImportedReview, type NewReview, type ReviewChanges } from './schema.ts'
import { updateReview } from './update-review.ts'

/** A review read from the API contains its product instead of `product_id`. */
const acceptReadReview = (line: LineFields) => {
  if (line.product_id === undefined && isFields(line.product)) {
    line.product_id = line.product.id
    delete line.product
  }
}

export const reviewBulk: BulkResource = {
  table: 'review',
  permissions: { create: 'review:create', update: 'review:update' },
  adapt: acceptReadReview,
  creation: createChecker(ImportedReview),
  changes: createChecker(ImportedChanges),
  create: (db, { store }, body: NewReview) => createReview(db, store, body, []),
  update: (db, { store }, id, body: ReviewChanges) => updateReview(db, store, id, body),
}
