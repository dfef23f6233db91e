import { sql } from 'kysely'
import type { Upload } from '../../core/http/multipart.ts'
import type { JsonText } from '../../core/reading/json-text.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { isSlugTaken, newSlug, slugColumns, takenSlugs } from '../../core/storage/taken-slugs.ts'
import { invalid, notFound, ValidationErrors } from '../../errors.ts'
import { SLUG_TAKEN } from './create-product.ts'
import { MAX_PRODUCT_BYTES, type ProductChanges } from './input.ts'
import { linkProductFiles, type Prepared, prepareProduct } from './prepare-product.ts'
import { checkProductSize } from './product-size.ts'
import { replaceProperties } from './properties.ts'
import { type LockedProduct, lockProduct, lockVariants, readOptionsAndVariants } from './queries.ts'
import { saveOptionsAndVariants } from './save-options-and-variants.ts'
import type { Product } from './schema.ts'
import { searchColumns, titleKey } from './search-words.ts'
import { expandShorthand } from './shorthand.ts'
import {
  keepProductText,
  keepVariantTexts,
  type ProductRow,
  productText,
  readProductRows,
  readProductText,
  replaceOwnFields,
} from './text.ts'

/** Whether the change affects options or variants. The only variant of a simple product has the product's title. */
const isStructural = ({ options, variants, default: single, title }: ProductChanges, uploads: Upload[]) =>
  options !== undefined ||
  variants !== undefined ||
  single !== undefined ||
  title !== undefined ||
  uploads.some(({ field }) => field === 'files')

/** Locks only what the change may write, so that orders for other variants need not wait. */
const lock = async (db: Tx, store: StoreId, id: string, body: ProductChanges, structural: boolean) => {
  const all = body.options !== undefined
  if (structural) {
    const ids = body.variants?.flatMap(({ id }) => id ?? []) ?? []
    await lockVariants(db, store, id, { all, ids })
  }
  const product = await lockProduct(db, store, id)
  if (!product) throw notFound('product')
  // Those that were added before the product was locked.
  if (all) await lockVariants(db, store, id, { all, ids: [] })
  return product
}

const differing = <T extends object>(columns: { [K in keyof T]?: T[K] | undefined }, before: T) =>
  Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => value !== undefined && value !== before[name as keyof T]),
  ) as Partial<T>

interface WrittenProduct {
  product: ProductRow
  /** The text before the change, if it was kept. */
  textBefore: JsonText<Product> | null
}

/** Writes the columns that change. Returns undefined if none do. */
const writeProduct = async (
  db: Tx,
  store: StoreId,
  id: string,
  before: LockedProduct,
  body: ProductChanges,
  { category }: Prepared,
): Promise<WrittenProduct | undefined> => {
  const { title, description, page_title, meta_description } = body
  const { is_digital, status, stock_tracked, allow_order_when_oos } = body
  const slug = newSlug(body.slug, before.slug)
  const changed = differing<Omit<LockedProduct, 'slug'>>(
    {
      ...{ title, description, page_title, meta_description },
      ...{ is_digital, status, stock_tracked, allow_order_when_oos },
      category_id: category?.category_id,
    },
    before,
  )
  if (slug === undefined && Object.keys(changed).length === 0) return undefined
  const after = { ...before, ...changed, ...(slug !== undefined && { slug }) }
  const isSearched = slug !== undefined || 'title' in changed || 'description' in changed
  const { textBefore, ...times } = await db
    .updateTable('product')
    .set({
      ...changed,
      ...(slug !== undefined && slugColumns(slug)),
      ...('title' in changed && { title_key: titleKey(after.title) }),
      ...(isSearched && searchColumns(store, after)),
      ...('category_id' in changed && category),
      updated_at: sql`statement_timestamp()`,
    })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning([
      sql<string>`iso(created_at)`.as('created_at'),
      sql<string>`iso(updated_at)`.as('updated_at'),
      // Triggers have not dropped it yet.
      sql<JsonText<Product> | null>`(select t.text from product_text t where t.store_id = ${store} and t.id = ${id})`.as(
        'textBefore',
      ),
    ])
    .executeTakeFirstOrThrow()
    .catch((error) => {
      throw isSlugTaken(error, 'product') ? invalid({ slug: [SLUG_TAKEN] }) : error
    })
  return { product: { id, ...after, ...times }, textBefore }
}

const setUpdatedAt = async (db: Tx, store: StoreId, id: string): Promise<string> => {
  const { updated_at } = await db
    .updateTable('product')
    .set({ updated_at: sql`statement_timestamp()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning(sql<string>`iso(updated_at)`.as('updated_at'))
    .executeTakeFirstOrThrow()
  return updated_at
}

const changesParts = ({ properties, images, ugc_videos }: ProductChanges, uploads: Upload[]) =>
  properties !== undefined || images !== undefined || ugc_videos !== undefined || uploads.length > 0

/**
 * The text of a product of which nothing but its own row may have changed. Undefined if it has to be rendered: if it was
 * not kept, or may be too large. A text has each string at least once, and the limit counts none more than twice.
 */
const changedText = async (db: Tx, store: StoreId, id: string, written: WrittenProduct | undefined) => {
  if (!written) return readProductText(db, store, id)
  const { product, textBefore } = written
  const text = textBefore === null ? undefined : replaceOwnFields(textBefore, product)
  return text !== undefined && 2 * Buffer.byteLength(text) <= MAX_PRODUCT_BYTES ? text : undefined
}

/** Changes a product and returns its new text, with holes. The caller keeps the text. */
export const changeProduct = async (
  db: Tx,
  store: StoreId,
  id: string,
  given: ProductChanges,
  uploads: Upload[],
  { isImport = false } = {},
): Promise<string> => {
  const errors = new ValidationErrors()
  const body = expandShorthand(given, errors)
  const structural = isStructural(body, uploads)
  const locked = await lock(db, store, id, body, structural)
  const hasParts = structural || changesParts(body, uploads)
  // Tells whether a change of parts, which does not write the product's own row, has changed anything.
  const textBefore = hasParts ? await readProductText(db, store, id) : undefined
  const current = structural ? await readOptionsAndVariants(db, store, id) : undefined
  const title = body.title ?? locked.title
  const prepared = await prepareProduct(db, store, { id, title, current, isImport }, body, uploads, errors)
  const slug = newSlug(body.slug, locked.slug)
  if (slug !== undefined && (await takenSlugs(db, 'product', store, [slug], id)).size > 0)
    errors.add('slug', SLUG_TAKEN)
  errors.throwIfAny()
  const written = await writeProduct(db, store, id, locked, body, prepared)
  if (!hasParts && !prepared.category) {
    const text = await changedText(db, store, id, written)
    if (text !== undefined) return text
  }
  if (current && prepared.structure) await saveOptionsAndVariants(db, store, id, current, prepared.structure)
  if (body.properties) await replaceProperties(db, store, id, body.properties)
  await linkProductFiles(db, store, id, body, prepared)
  const rows = await readProductRows(db, store, id)
  checkProductSize(body, rows)
  if (structural) await keepVariantTexts(db, store, rows)
  const text = productText(rows)
  if (written || textBefore === undefined || text === textBefore) return text
  const updated_at = await setUpdatedAt(db, store, id)
  return productText({ ...rows, product: { ...rows.product, updated_at } })
}

/** Updates a product from a line of an import. */
export const importChanges = async (db: Tx, store: StoreId, id: string, changes: ProductChanges): Promise<void> =>
  keepProductText(db, store, id, await changeProduct(db, store, id, changes, [], { isImport: true }))
