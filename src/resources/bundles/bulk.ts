import type { BulkResource } from '../../core/http/resource.ts'
import { createChecker } from '../../core/input/validation.ts'
import { createBundle } from './create-bundle.ts'
import { BundleChanges, NewBundle } from './schema.ts'
import { updateBundle } from './update-bundle.ts'

export const bundleBulk: BulkResource = {
  table: 'bundle',
  permissions: { create: 'bundle:create', update: 'bundle:update' },
  creation: createChecker(NewBundle),
  changes: createChecker(BundleChanges),
  create: (db, { store }, body: NewBundle) => createBundle(db, store, body),
  update: (db, { store }, id, body: BundleChanges) => updateBundle(db, store, id, body),
}
