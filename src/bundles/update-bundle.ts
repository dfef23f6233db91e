import { sql } from 'kysely'
import { notFound, ValidationErrors } from '../errors.ts'
import { lockRow } from '../reading/single-row.ts'
import type { Tx } from '../storage/database.ts'
import { newId } from '../storage/new-id.ts'
import type { StoreId } from '../storage/store-id.ts'
import { checkNames, nameColumns, type Option } from './rules.ts'
import type { BundleChanges } from './schema.ts'

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
