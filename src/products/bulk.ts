import type { BulkResource } from '../http/resource.ts'
import { createChecker } from '../input/validation.ts'
import { findProductBySku, findProductBySlug, prepareProductLine } from './bulk-lines.ts'
import { writeNewProduct } from './create-product.ts'
import { NewProduct, ProductChanges } from './input.ts'
import { acceptReadProduct } from './read-back.ts'
import { refuseMisspeltPrice } from './shorthand.ts'
import { keepProductTexts } from './text.ts'
import { updateProduct } from './update-product.ts'

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
  create: (db, { store }, body: NewProduct) => writeNewProduct(db, store, body, []),
  update: (db, { store }, id, body: ProductChanges) => updateProduct(db, store, id, body, []),
  keepTexts: keepProductTexts,
}
