import type { BulkResource } from '../../core/http/resource.ts'
import { createChecker } from '../../core/input/validation.ts'
import { requireRoom } from '../plans/limits.ts'
import { findProductBySku, findProductBySlug, prepareProductLine } from './bulk-lines.ts'
import { writeNewProduct } from './create-product.ts'
import { NewProduct, ProductChanges } from './input.ts'
import { acceptReadProduct } from './read-back.ts'
import { refuseMisspeltPrice } from './shorthand.ts'
import { keepProductTexts } from './text.ts'
import { importChanges } from './update-product.ts'

export const productBulk: BulkResource = {
  table: 'product',
  permissions: { create: 'product:create', update: 'product:update' },
  find: {
    slug: async (db, store, { slug }) =>
      typeof slug === 'string' && slug !== '' ? findProductBySlug(db, store, slug) : undefined,
    sku: findProductBySku,
  },
  adapt: acceptReadProduct,
  prepare: prepareProductLine,
  creation: createChecker(NewProduct),
  changes: createChecker(ProductChanges),
  checkNew: (body: NewProduct, ignored, errors) => refuseMisspeltPrice(body, ignored, errors),
  create: async (db, { store, limits }, body: NewProduct) => {
    await requireRoom(db, { store, limits }, 'products')
    return writeNewProduct(db, store, body, [], { isImport: true })
  },
  update: (db, { store }, id, body: ProductChanges) => importChanges(db, store, id, body),
  keepTexts: keepProductTexts,
}
