import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { attachFiles, detachFiles } from '../files/attachments.ts'
import type { FileRole } from '../files/rules.ts'
import type { OptionsAndVariants, ProductVariant } from './options-and-variants.ts'

// Each item has exactly the columns of its row, so that comparing two JSON texts tells whether it has changed.

const optionRows = ({ options }: OptionsAndVariants) =>
  options.map(({ id, name, order }) => ({ id, name, position: order }))

const valueRows = ({ options }: OptionsAndVariants) =>
  options.flatMap(({ id: option_id, values }) =>
    values.map(({ id, value, order }) => ({ id, option_id, value, position: order })),
  )

const variantRows = ({ variants }: OptionsAndVariants) =>
  variants.map(({ id, title, price, compare_price, sku, quantity, place, choice }) => ({
    id,
    title,
    price,
    compare_price,
    sku,
    quantity,
    position: place,
    choice,
  }))

const choiceRows = ({ variants }: OptionsAndVariants) =>
  variants.flatMap(({ id, values }) =>
    Object.entries(values).map(([option_id, value_id]) => ({
      id: `${id}/${option_id}`,
      variant_id: id,
      option_id,
      value_id,
    })),
  )

const changed = <Row extends { id: string }>(before: Row[], after: Row[]): Row[] => {
  const known = new Map(before.map((row) => [row.id, JSON.stringify(row)]))
  return after.filter((row) => known.get(row.id) !== JSON.stringify(row))
}

const gone = (before: { id: string }[], after: { id: string }[]) => {
  const staying = new Set(after.map(({ id }) => id))
  return before.filter(({ id }) => !staying.has(id)).map(({ id }) => id)
}

const remove = async (db: Tx, store: StoreId, table: 'variant' | 'option_value' | 'product_option', ids: string[]) => {
  if (ids.length === 0) return
  await sql`delete from ${sql.table(table)} where store_id = ${store} and id = any(${ids}::uuid[])`.execute(db)
}

type Rows<F extends (structure: OptionsAndVariants) => unknown> = ReturnType<F>

const writeOptions = async (db: Tx, store: StoreId, product: string, rows: Rows<typeof optionRows>) => {
  if (rows.length === 0) return
  await sql`
    insert into product_option (store_id, id, product_id, name, position)
    select ${store}, r.id, ${product}, r.name, r.position
    from json_to_recordset(${JSON.stringify(rows)}::json) r (id uuid, name text, position integer)
    on conflict (store_id, id) do update set name = excluded.name, position = excluded.position`.execute(db)
}

const writeValues = async (db: Tx, store: StoreId, product: string, rows: Rows<typeof valueRows>) => {
  if (rows.length === 0) return
  await sql`
    insert into option_value (store_id, id, product_id, option_id, value, position)
    select ${store}, r.id, ${product}, r.option_id, r.value, r.position
    from json_to_recordset(${JSON.stringify(rows)}::json) r (id uuid, option_id uuid, value text, position integer)
    on conflict (store_id, id) do update set value = excluded.value, position = excluded.position`.execute(db)
}

const writeVariants = async (db: Tx, store: StoreId, product: string, rows: Rows<typeof variantRows>) => {
  if (rows.length === 0) return
  await sql`
    insert into variant as v (store_id, id, product_id, title, price, compare_price, sku, quantity, position, choice)
    select ${store}, r.id, ${product}, r.title, r.price, r.compare_price, r.sku, r.quantity, r.position, r.choice
    from json_to_recordset(${JSON.stringify(rows)}::json) r (id uuid, title text, price numeric,
      compare_price numeric, sku text, quantity integer, position integer, choice text)
    on conflict (store_id, id) do update set title = excluded.title, price = excluded.price,
      compare_price = excluded.compare_price, sku = excluded.sku, quantity = excluded.quantity,
      position = excluded.position, choice = excluded.choice, updated_at = excluded.updated_at`.execute(db)
}

const writeChoices = async (db: Tx, store: StoreId, product: string, rows: Rows<typeof choiceRows>) => {
  if (rows.length === 0) return
  await sql`
    insert into variant_value (store_id, product_id, variant_id, option_id, value_id)
    select ${store}, ${product}, r.variant_id, r.option_id, r.value_id
    from json_to_recordset(${JSON.stringify(rows)}::json) r (variant_id uuid, option_id uuid, value_id uuid)
    on conflict (store_id, variant_id, option_id) do update set value_id = excluded.value_id`.execute(db)
}

const writeFiles = async (
  db: Tx,
  store: StoreId,
  role: FileRole,
  before: ProductVariant[],
  after: ProductVariant[],
  fileOf: (variant: ProductVariant) => string | null,
) => {
  const known = new Map(before.map((variant) => [variant.id, fileOf(variant)]))
  const moved = after.filter((variant) => (known.get(variant.id) ?? null) !== fileOf(variant))
  const linked = moved.flatMap((variant) => {
    const file = fileOf(variant)
    return file ? [{ owner: variant.id, file, position: 0 }] : []
  })
  const freed = moved.filter((variant) => !fileOf(variant)).map(({ id }) => id)
  if (freed.length > 0) await detachFiles(db, store, 'variant', role, freed)
  await attachFiles(db, store, 'variant', role, linked)
}

/** Writes the options and variants of a new product with one statement: foreign keys are checked at its end. */
export const insertOptionsAndVariants = async (
  db: Tx,
  store: StoreId,
  product: string,
  structure: OptionsAndVariants,
) => {
  await sql`
    with options as (
      insert into product_option (store_id, id, product_id, name, position)
      select ${store}, r.id, ${product}, r.name, r.position
      from json_to_recordset(${JSON.stringify(optionRows(structure))}::json) r (id uuid, name text, position integer)
    ), option_values as (
      insert into option_value (store_id, id, product_id, option_id, value, position)
      select ${store}, r.id, ${product}, r.option_id, r.value, r.position
      from json_to_recordset(${JSON.stringify(valueRows(structure))}::json) r (id uuid, option_id uuid, value text,
        position integer)
    ), variants as (
      insert into variant (store_id, id, product_id, title, price, compare_price, sku, quantity, position, choice)
      select ${store}, r.id, ${product}, r.title, r.price, r.compare_price, r.sku, r.quantity, r.position, r.choice
      from json_to_recordset(${JSON.stringify(variantRows(structure))}::json) r (id uuid, title text, price numeric,
        compare_price numeric, sku text, quantity integer, position integer, choice text)
    )
    insert into variant_value (store_id, product_id, variant_id, option_id, value_id)
    select ${store}, ${product}, r.variant_id, r.option_id, r.value_id
    from json_to_recordset(${JSON.stringify(choiceRows(structure))}::json) r (variant_id uuid, option_id uuid,
      value_id uuid)`.execute(db)
  await writeFiles(db, store, 'variant_image', [], structure.variants, ({ image }) => image)
  await writeFiles(db, store, 'digital_product', [], structure.variants, ({ file }) => file)
}

/**
 * Writes what differs, one statement per table. Variants are written first and options last: a choice must be free
 * before another variant takes it, and a value unused before it is deleted.
 */
export const saveOptionsAndVariants = async (
  db: Tx,
  store: StoreId,
  product: string,
  before: OptionsAndVariants,
  after: OptionsAndVariants,
) => {
  await remove(db, store, 'variant', gone(before.variants, after.variants))
  await writeOptions(db, store, product, changed(optionRows(before), optionRows(after)))
  await writeValues(db, store, product, changed(valueRows(before), valueRows(after)))
  await writeVariants(db, store, product, changed(variantRows(before), variantRows(after)))
  await writeChoices(db, store, product, changed(choiceRows(before), choiceRows(after)))
  await remove(db, store, 'option_value', gone(valueRows(before), valueRows(after)))
  await remove(db, store, 'product_option', gone(before.options, after.options))
  await writeFiles(db, store, 'variant_image', before.variants, after.variants, ({ image }) => image)
  await writeFiles(db, store, 'digital_product', before.variants, after.variants, ({ file }) => file)
}
