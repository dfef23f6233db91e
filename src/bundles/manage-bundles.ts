import { sql } from 'kysely'
import { notFound, ValidationErrors } from '../errors.ts'
import { foldText } from '../input/normalize-text.ts'
import { lockProductReference } from '../products/lock-product.ts'
import { lockRow } from '../reading/single-row.ts'
import type { Tx } from '../storage/database.ts'
import { newId } from '../storage/new-id.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { BundleChanges, NewBundle } from './schema.ts'
import type {} from './tables.ts'

const MAX_KEY_LENGTH = 255

const nameColumns = (name: string) => ({ name, name_key: foldText(name).slice(0, MAX_KEY_LENGTH) })

type Option = NonNullable<BundleChanges['options']>[number]

const checkNames = (options: readonly Option[], errors: ValidationErrors) => {
  const names = new Set<string>()
  for (const [index, { name }] of options.entries()) {
    const folded = foldText(name)
    if (names.has(folded)) errors.add(`options.${index}.name`, 'must differ from the names of the other options')
    names.add(folded)
  }
}

export const createBundle = async (db: Tx, store: StoreId, input: NewBundle): Promise<string> => {
  const { product_id, name, status, options } = input
  const errors = new ValidationErrors()
  if (!(await lockProductReference(db, store, product_id))) errors.add('product_id', 'must be the id of a product')
  checkNames(options, errors)
  errors.throwIfAny()
  const { id } = await db
    .insertInto('bundle')
    .values({ store_id: store, product_id, ...nameColumns(name), ...(status && { status }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('bundle_option')
    .values(
      options.map(({ name, quantity, price }, position) => ({
        store_id: store,
        bundle_id: id,
        position,
        name,
        quantity,
        price,
      })),
    )
    .execute()
  return id
}

/** Deletes options that are not listed. Options with an id keep it, so that callers can still order them. */
const replaceOptions = async (db: Tx, store: StoreId, bundle: string, options: readonly Option[]) => {
  const known = await db
    .selectFrom('bundle_option')
    .select('id')
    .where('store_id', '=', store)
    .where('bundle_id', '=', bundle)
    .execute()
  const ids = new Set(known.map(({ id }) => id))
  const errors = new ValidationErrors()
  const seen = new Set<string>()
  for (const [index, { id }] of options.entries()) {
    if (id === undefined) continue
    if (!ids.has(id)) errors.add(`options.${index}.id`, 'must be an option of this bundle')
    else if (seen.has(id)) errors.add(`options.${index}.id`, 'must be listed once')
    seen.add(id)
  }
  checkNames(options, errors)
  errors.throwIfAny()
  const rows = options.map(({ id = newId(), name, quantity, price }, position) => ({
    store_id: store,
    id,
    bundle_id: bundle,
    position,
    name,
    quantity,
    price,
  }))
  await sql`delete from bundle_option o
    where o.store_id = ${store} and o.bundle_id = ${bundle} and o.id <> all(${rows.map(({ id }) => id)}::uuid[])`.execute(
    db,
  )
  if (rows.length === 0) return
  await db
    .insertInto('bundle_option')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        name: eb.ref('excluded.name'),
        quantity: eb.ref('excluded.quantity'),
        price: eb.ref('excluded.price'),
      })),
    )
    .execute()
}

export const updateBundle = async (db: Tx, store: StoreId, id: string, { options, ...fields }: BundleChanges) => {
  await lockRow(db, 'bundle', store, id)
  const { name, status } = fields
  if (name === undefined && status === undefined && options === undefined) return
  const updated = await db
    .updateTable('bundle')
    .set({
      ...(name !== undefined && nameColumns(name)),
      ...(status !== undefined && { status }),
      updated_at: sql<string>`statement_timestamp()`,
    })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!updated) throw notFound('bundle')
  if (options) await replaceOptions(db, store, id, options)
}

/** Orders keep the names and the price that they were sold with. */
export const deleteBundle = async (db: Tx, store: StoreId, id: string) => {
  const deleted = await db
    .deleteFrom('bundle')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('bundle')
}
