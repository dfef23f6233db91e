import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { checkNames, nameColumns, type Option } from './rules.ts'
import type { BundleChanges } from './schema.ts'

type Placed = Omit<Option, 'id'> & { position: number }

const isSame = (option: Placed, known: (Omit<Placed, 'price'> & { price: string }) | undefined) =>
  option.position === known?.position &&
  option.name === known.name &&
  option.quantity === known.quantity &&
  option.price === Number(known.price)

/**
 * Deletes options that are not listed. Options with an id keep it, so that callers can still order them. Returns whether
 * anything has changed.
 */
const replaceOptions = async (db: Tx, store: StoreId, bundle: string, options: readonly Option[]) => {
  const known = await db
    .selectFrom('bundle_option')
    .select(['id', 'position', 'name', 'quantity', 'price'])
    .where('store_id', '=', store)
    .where('bundle_id', '=', bundle)
    .execute()
  const byId = new Map(known.map((option) => [option.id, option]))
  const errors = new ValidationErrors()
  const seen = new Set<string>()
  for (const [index, { id }] of options.entries()) {
    if (id === undefined) continue
    if (!byId.has(id)) errors.add(`options.${index}.id`, 'must be an option of this bundle')
    else if (seen.has(id)) errors.add(`options.${index}.id`, 'must be listed once')
    seen.add(id)
  }
  checkNames(options, errors)
  errors.throwIfAny()
  const wanted = options.map(({ id = newId(), name, quantity, price }, position) => ({
    id,
    position,
    name,
    quantity,
    price,
  }))
  const changed = wanted.filter((option) => !isSame(option, byId.get(option.id)))
  if (changed.length === 0 && wanted.length === known.length) return false
  await sql`delete from bundle_option o
    where o.store_id = ${store} and o.bundle_id = ${bundle} and o.id <> all(${wanted.map(({ id }) => id)}::uuid[])`.execute(
    db,
  )
  if (changed.length === 0) return true
  await db
    .insertInto('bundle_option')
    .values(changed.map((option) => ({ ...option, store_id: store, bundle_id: bundle })))
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        name: eb.ref('excluded.name'),
        quantity: eb.ref('excluded.quantity'),
        price: eb.ref('excluded.price'),
      })),
    )
    .execute()
  return true
}

/** Leaves no trace if nothing differs. */
export const updateBundle = async (db: Tx, store: StoreId, id: string, { options, name, status }: BundleChanges) => {
  const before = await db
    .selectFrom('bundle')
    .select(['name', 'status'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('bundle')
  const changes = {
    ...(name !== undefined && name !== before.name && nameColumns(name)),
    ...(status !== undefined && status !== before.status && { status }),
  }
  const hasOtherOptions = options !== undefined && (await replaceOptions(db, store, id, options))
  if (!hasOtherOptions && Object.keys(changes).length === 0) return
  await db
    .updateTable('bundle')
    .set({ ...changes, updated_at: sql<string>`statement_timestamp()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .execute()
}
