import type { TSchema } from 'typebox'
import { createCategory, findCategoryByName, updateCategory } from '../categories/manage-categories.ts'
import { CategoryChanges, NewCategory } from '../categories/schema.ts'
import { createCustomer } from '../customers/create-customer.ts'
import { CustomerChanges, NewCustomer } from '../customers/schema.ts'
import { updateCustomer } from '../customers/update-customer.ts'
import type { ValidationErrors } from '../errors.ts'
import type { AppRecord } from '../http/access.ts'
import { emailKey } from '../input/email.ts'
import { isUuid } from '../input/uuid.ts'
import { type Checker, createChecker } from '../input/validation.ts'
import { NewOrder, OrderChanges } from '../orders/order-input.ts'
import { placeOrder } from '../orders/place-order.ts'
import { keepOrderTexts } from '../orders/text.ts'
import { updateOrder } from '../orders/update-order.ts'
import type { Permission } from '../permissions/catalogue.ts'
import { writeNewProduct } from '../products/create-product.ts'
import { NewProduct, ProductChanges } from '../products/input.ts'
import { acceptReadProduct } from '../products/read-back.ts'
import { refuseMisspeltPrice } from '../products/shorthand.ts'
import { keepProductTexts } from '../products/text.ts'
import { updateProduct } from '../products/update-product.ts'
import { createReview } from '../reviews/create-review.ts'
import { NewReview, ReviewChanges } from '../reviews/schema.ts'
import { updateReview } from '../reviews/update-review.ts'
import type { Tx } from '../storage/database.ts'
import { identifier, type Sql, sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { type Fields, isFields } from './line-fields.ts'
import { findProductBySku, findProductBySlug, prepareProductLine } from './product-lines.ts'
import type { BulkResourceName, Match } from './schema.ts'

/** The store and the app on whose behalf a job runs. */
export interface LineContext {
  store: StoreId
  app: AppRecord
}

type Find = (db: Tx, store: StoreId, line: Fields) => Promise<string | undefined>

/** How the lines of a resource are matched, checked and written: by the same operations as single requests. */
interface BulkResource {
  permissions: { create: Permission; update: Permission }
  /** Finds the existing resource of a line, by the field that it is matched by. */
  find: Partial<Record<Match, Find>>
  /** Brings a line into the shape of the body of a single request. */
  adapt?: (line: Fields, ignored: string[]) => void
  prepare?: (db: Tx, store: StoreId, line: Fields, id: string | undefined) => Promise<void>
  creation: Checker
  changes: Checker
  checkNew?: (body: never, ignored: readonly string[], errors: ValidationErrors) => void
  create: (db: Tx, context: LineContext, body: never) => Promise<string>
  update: (db: Tx, context: LineContext, id: string, body: never) => Promise<unknown>
  /** Renders and stores the texts of all resources that a batch has created, if `create` does not. */
  keepTexts?: (db: Tx, store: StoreId, ids: string[]) => Promise<unknown>
}

const shapes = (creation: TSchema, changes: TSchema) => ({
  creation: createChecker(creation),
  changes: createChecker(changes),
})

const findBy = (table: string, field: Match, condition: Sql, key: (text: string) => string = (text) => text): Find => {
  const text = sqlText`select id from ${identifier(table)} where store_id = $1 and ${condition}`
  return async (db, store, line) => {
    const given = line[field]
    if (typeof given !== 'string' || given === '') return undefined
    return (await runSql<{ id: string }>(db, text, [store, key(given)]))[0]?.id
  }
}

const byId = (table: string): Find => {
  const find = findBy(table, 'id', sqlText`id = $2`)
  return async (db, store, line) => (isUuid(String(line.id)) ? find(db, store, line) : undefined)
}

/** Texts contain holes, so they cannot be parsed as JSON yet. */
const idOf = (text: string) => /"id":"([0-9a-f-]{36})"/.exec(text)?.[1] as string

const product: BulkResource = {
  permissions: { create: 'product:create', update: 'product:update' },
  find: {
    id: byId('product'),
    slug: async (db, store, { slug }) =>
      typeof slug === 'string' && slug !== '' ? findProductBySlug(db, store, slug) : undefined,
    sku: findProductBySku,
  },
  adapt: acceptReadProduct,
  prepare: prepareProductLine,
  ...shapes(NewProduct, ProductChanges),
  checkNew: (body: NewProduct, ignored, errors) => refuseMisspeltPrice(body, ignored, errors),
  create: (db, { store }, body: NewProduct) => writeNewProduct(db, store, body, []),
  update: (db, { store }, id, body: ProductChanges) => updateProduct(db, store, id, body, []),
  keepTexts: keepProductTexts,
}

const customer: BulkResource = {
  permissions: { create: 'customer:create', update: 'customer:update' },
  find: { id: byId('customer'), email: findBy('customer', 'email', sqlText`email_key = $2`, emailKey) },
  ...shapes(NewCustomer, CustomerChanges),
  create: async (db, { store }, body: NewCustomer) => idOf(await createCustomer(db, store, body)),
  update: (db, { store }, id, body: CustomerChanges) => updateCustomer(db, store, id, body),
}

const order: BulkResource = {
  permissions: { create: 'order:create', update: 'order:update' },
  find: { id: byId('orders'), ref: findBy('orders', 'ref', sqlText`ref = $2`) },
  ...shapes(NewOrder, OrderChanges),
  create: async (db, { store, app }, body: NewOrder) => (await placeOrder(db, store, app, body)).order,
  update: (db, { store, app }, id, body: OrderChanges) => updateOrder(db, store, app, id, body),
  keepTexts: keepOrderTexts,
}

/** A review read from the API contains its product instead of `product_id`. */
const acceptReadReview = (line: Fields) => {
  if (line.product_id === undefined && isFields(line.product)) {
    line.product_id = line.product.id
    delete line.product
  }
}

const review: BulkResource = {
  permissions: { create: 'review:create', update: 'review:update' },
  find: { id: byId('review') },
  adapt: acceptReadReview,
  ...shapes(NewReview, ReviewChanges),
  create: (db, { store }, body: NewReview) => createReview(db, store, body, []),
  update: (db, { store }, id, body: ReviewChanges) => updateReview(db, store, id, body),
}

const category: BulkResource = {
  permissions: { create: 'product:create', update: 'product:update' },
  find: {
    id: byId('category'),
    name: async (db, store, { name }) =>
      typeof name === 'string' ? findCategoryByName(db, store, name.normalize('NFC')) : undefined,
  },
  ...shapes(NewCategory, CategoryChanges),
  create: async (db, { store }, body: NewCategory) => (await createCategory(db, store, body)).id,
  update: (db, { store }, id, body: CategoryChanges) => updateCategory(db, store, id, body),
}

export const bulkResources: Readonly<Record<BulkResourceName, BulkResource>> = {
  product,
  customer,
  order,
  review,
  category,
}

export const permissionsFor = (resource: BulkResourceName, mode: string): Permission[] => {
  const { create, update } = bulkResources[resource].permissions
  return mode === 'upsert' ? [create, update] : [create]
}
