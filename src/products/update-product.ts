import { sql } from 'kysely'
import { invalid, notFound, ValidationErrors } from '../errors.ts'
import type { Upload } from '../http/multipart.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { isSlugTaken, newSlug, slugColumns, takenSlugs } from '../storage/taken-slugs.ts'
import { SLUG_TAKEN } from './create-product.ts'
import type { ProductChanges } from './input.ts'
import { linkProductFiles, type Prepared, prepareProduct } from './prepare-product.ts'
import { checkProductSize } from './product-size.ts'
import { replaceProperties } from './properties.ts'
import { lockProduct, lockVariants, readOptionsAndVariants } from './queries.ts'
import { saveOptionsAndVariants } from './save-options-and-variants.ts'
import { type SearchableText, searchColumns, titleKey } from './search-words.ts'
import { expandShorthand } from './shorthand.ts'
import { keepUpdatedProduct, keptProductText } from './text.ts'

/** Whether the change affects options or variants. The only variant of a simple product has the product's title. */
const isStructural = ({ options, variants, default: single, title }: ProductChanges, uploads: Upload[]) =>
  options !== undefined ||
  variants !== undefined ||
  single !== undefined ||
  title !== undefined ||
  uploads.some(({ field }) => field === 'files')

/** Locks only what the change may write, so that orders for other variants need not wait. */
const lock = async (db: Tx, store: StoreId, id: string, body: ProductChanges, structural: boolean) => {
  if (structural) {
    const ids = body.variants?.flatMap(({ id }) => id ?? []) ?? []
    await lockVariants(db, store, id, { all: body.options !== undefined, ids })
  }
  const product = await lockProduct(db, store, id)
  if (!product) throw notFound('product')
  return product
}

const writeProduct = async (
  db: Tx,
  store: StoreId,
  id: string,
  before: SearchableText,
  body: ProductChanges,
  { category }: Prepared,
) => {
  const { title, description } = body
  const slug = newSlug(body.slug, before.slug)
  const searched = { ...before, ...given({ title, slug, description }) }
  const texts = title !== undefined || slug !== undefined || description !== undefined
  const { page_title, meta_description, is_digital, status, stock_tracked, allow_order_when_oos } = body
  await db
    .updateTable('product')
    .set({
      ...given({ title, description, page_title, meta_description }),
      ...(slug !== undefined && slugColumns(slug)),
      ...given({ is_digital, status, stock_tracked, allow_order_when_oos }),
      ...(title !== undefined && { title_key: titleKey(title) }),
      ...(texts && searchColumns(store, searched)),
      ...category,
      // `updated_at` is set last, and only if the product's text has changed.
      updated_at: sql`updated_at`,
    })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .execute()
    .catch((error) => {
      throw isSlugTaken(error, 'product') ? invalid({ slug: [SLUG_TAKEN] }) : error
    })
}

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/** Returns the JSON text of the updated product. */
export const updateProduct = async (
  db: Tx,
  store: StoreId,
  id: string,
  given: ProductChanges,
  uploads: Upload[],
): Promise<void> => {
  const errors = new ValidationErrors()
  const body = expandShorthand(given, errors)
  const structural = isStructural(body, uploads)
  const before = await lock(db, store, id, body, structural)
  const text = await keptProductText(db, store, id)
  const current = structural ? await readOptionsAndVariants(db, store, id) : undefined
  const title = body.title ?? before.title
  const prepared = await prepareProduct(db, store, { id, title, current }, body, uploads, errors)
  const slug = newSlug(body.slug, before.slug)
  if (slug !== undefined && (await takenSlugs(db, 'product', store, [slug], id)).size > 0)
    errors.add('slug', SLUG_TAKEN)
  errors.throwIfAny()
  await writeProduct(db, store, id, before, body, prepared)
  if (current && prepared.structure) await saveOptionsAndVariants(db, store, id, current, prepared.structure)
  if (body.properties) await replaceProperties(db, store, id, body.properties)
  await checkProductSize(db, store, id, body)
  await linkProductFiles(db, store, id, body, prepared)
  await keepUpdatedProduct(db, store, id, text)
}
