import type { BulkResource } from '../../core/http/resource.ts'
import { normalizeText } from '../../core/input/normalize-text.ts'
import { createChecker } from '../../core/input/validation.ts'
import { createCategory, findCategoryByName, updateCategory } from './queries.ts'
import { CategoryChanges, NewCategory } from './schema.ts'

export const categoryBulk: BulkResource = {
  table: 'category',
  permissions: { create: 'product:create', update: 'product:update' },
  find: {
    name: async (db, store, { name }) =>
      typeof name === 'string' ? findCategoryByName(db, store, normalizeText(name)) : undefined,
  },
  creation: createChecker(NewCategory),
  changes: createChecker(CategoryChanges),
  create: async (db, { store }, body: NewCategory) => (await createCategory(db, store, body)).id,
  update: (db, { store }, id, body: CategoryChanges) => updateCategory(db, store, id, body),
}
