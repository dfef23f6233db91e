import type { Upload } from '../../core/http/multipart.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { takenSlugs } from '../../core/storage/taken-slugs.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import type { NewProduct } from './input.ts'
import { makeSlug } from './make-slug.ts'
import { NO_OPTIONS_OR_VARIANTS, type OptionsAndVariants } from './options-and-variants.ts'
import { linkProductFiles, type Prepared, prepareProduct } from './prepare-product.ts'
import { checkProductSize } from './product-size.ts'
import { replaceProperties } from './properties.ts'
import { insertOptionsAndVariants } from './save-options-and-variants.ts'
import { searchColumns, titleKey } from './search-words.ts'
import { expandShorthand } from './shorthand.ts'
import { keepProductTexts } from './text.ts'

export const SLUG_TAKEN = 'is the slug of another product'

/** Returns whether the slug was free. Waits for concurrent inserts of the same slug. */
const insertProduct = async (
  db: Tx,
  store: StoreId,
  id: string,
  slug: string,
  body: NewProduct,
  { category, structure }: Prepared,
) => {
  const { title, description = null } = body
  const inserted = await db
    .insertInto('product')
    .values({
      store_id: store,
      id,
      slug,
      title,
      title_key: titleKey(title),
      description,
      page_title: body.page_title ?? null,
      meta_description: body.meta_description ?? null,
      is_digital: body.is_digital ?? false,
      status: body.status ?? 'active',
      stock_tracked: body.stock_tracked ?? true,
      allow_order_when_oos: body.allow_order_when_oos ?? false,
      // As the trigger on variants would set it, which would write every index of the product a second time.
      has_stock: structure?.variants.some(({ quantity }) => quantity > 0) ?? false,
      category_id: category?.category_id ?? null,
      category_key: category?.category_key ?? null,
      ...searchColumns(store, { title, slug, description }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

const insertWithSlug = async (db: Tx, store: StoreId, id: string, body: NewProduct, prepared: Prepared) => {
  if (body.slug !== undefined) {
    if (await insertProduct(db, store, id, body.slug, body, prepared)) return
    throw invalid({ slug: [SLUG_TAKEN] })
  }
  while (!(await insertProduct(db, store, id, await makeSlug(db, store, body.title), body, prepared)));
}

const textsOf = (body: NewProduct, { options, variants }: OptionsAndVariants = NO_OPTIONS_OR_VARIANTS) => ({
  product: body,
  properties: body.properties ?? [],
  options,
  values: options.flatMap(({ values }) => values),
  variants,
})

/** Writes a new product without its text and returns its id. The caller keeps the text in the same transaction. */
export const writeNewProduct = async (
  db: Tx,
  store: StoreId,
  given: NewProduct,
  uploads: Upload[],
  { isImport = false } = {},
): Promise<string> => {
  const id = newId()
  const errors = new ValidationErrors()
  const body = expandShorthand(given, errors)
  const prepared = await prepareProduct(
    db,
    store,
    { id, title: body.title, current: NO_OPTIONS_OR_VARIANTS, isImport },
    body,
    uploads,
    errors,
  )
  if (body.slug !== undefined && (await takenSlugs(db, 'product', store, [body.slug])).size > 0)
    errors.add('slug', SLUG_TAKEN)
  errors.throwIfAny()
  checkProductSize(body, textsOf(body, prepared.structure))
  await insertWithSlug(db, store, id, body, prepared)
  if (prepared.structure) await insertOptionsAndVariants(db, store, id, prepared.structure)
  if (body.properties) await replaceProperties(db, store, id, body.properties)
  await linkProductFiles(db, store, id, body, prepared)
  return id
}

/** Returns the id of the new product. */
export const createProduct = async (db: Tx, store: StoreId, given: NewProduct, uploads: Upload[]): Promise<string> => {
  const id = await writeNewProduct(db, store, given, uploads)
  await keepProductTexts(db, store, [id])
  return id
}
