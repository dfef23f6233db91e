import type { LineFields } from '../../core/http/resource.ts'
import { normalizeText } from '../../core/input/normalize-text.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { isFields } from '../bulk/line-fields.ts'
import { createCategory, findCategoryByName } from '../categories/queries.ts'
import type { ProductOption, ProductVariant } from './options-and-variants.ts'
import { findCategoryKey, readOptionsAndVariants } from './queries.ts'

const list = (value: unknown): LineFields[] => (Array.isArray(value) ? value.filter(isFields) : [])

/** The SKUs of a line: its own, that of `default`, and those of its variants. */
const skusOf = (line: LineFields): string[] => {
  const single = isFields(line.default) ? [line.default.sku] : []
  const skus = [line.sku, ...single, ...list(line.variants).map(({ sku }) => sku)]
  return [...new Set(skus.filter((sku): sku is string => typeof sku === 'string' && sku !== ''))]
}

/** The product that has a variant with one of the line's SKUs. */
export const findProductBySku = async (db: Tx, store: StoreId, line: LineFields): Promise<string | undefined> => {
  const skus = skusOf(line)
  if (skus.length === 0) return undefined
  const text = sqlText`select distinct product_id from variant where store_id = $1 and sku = any($2) limit 2`
  const found = await runSql<{ product_id: string }>(db, text, [store, skus])
  if (found.length > 1) throw invalid({ sku: ['belongs to several products'] })
  return found[0]?.product_id
}

export const findProductBySlug = async (db: Tx, store: StoreId, slug: string): Promise<string | undefined> => {
  // Exact first: a slug from before they were compared without regard to case.
  const text = sqlText`select id from product where store_id = $1 and slug = $2
    union all select id from product where store_id = $1 and slug_key(slug) = slug_key($2) and not slug_is_twin limit 1`
  return (await runSql<{ id: string }>(db, text, [store, normalizeText(slug)]))[0]?.id
}

/** `category` of a line is a name, or a category as it was read. One that the store does not have is created by name. */
const resolveCategory = async (db: Tx, store: StoreId, line: LineFields) => {
  const { category } = line
  if (line.category_id !== undefined || category === undefined) return
  delete line.category
  if (category === null) {
    line.category_id = null
    return
  }
  const { id, name } = isFields(category) ? category : { id: undefined, name: category }
  if (typeof id === 'string' && isUuid(id) && (await findCategoryKey(db, store, id)) !== undefined) {
    line.category_id = id
    return
  }
  if (typeof name !== 'string' || name.trim() === '' || name.length > 255)
    throw invalid({ category: ['must be the name of a category: 1 to 255 characters'] })
  const text = normalizeText(name)
  line.category_id = (await findCategoryByName(db, store, text)) ?? (await createCategory(db, store, { name: text })).id
}

/** A product that is created gives its parts new ids, so that one read from another store can be imported. */
const dropPartIds = (line: LineFields) => {
  for (const option of list(line.options)) {
    delete option.id
    for (const value of list(option.values)) delete value.id
  }
  for (const variant of list(line.variants)) delete variant.id
}

const textsOf = ({ values }: LineFields) => list(values).map(({ value }) => value)

/** Options of a line that the product has get its id: by id, else by name, as with the ids of another store. */
const identifyOptions = (line: LineFields, options: ProductOption[]) => {
  for (const option of list(line.options)) {
    const known = options.find(({ id }) => id === option.id) ?? options.find(({ name }) => name === option.name)
    if (known) option.id = known.id
    else delete option.id
    for (const value of list(option.values)) delete value.id
  }
}

/** The ids of variants by a key, the last one first. A null key finds nothing. */
const groupIds = (variants: readonly ProductVariant[], keyOf: (variant: ProductVariant) => string | null) => {
  const groups = new Map<unknown, string[]>()
  for (const variant of variants.toReversed()) {
    const key = keyOf(variant)
    const group = groups.get(key)
    if (group) group.push(variant.id)
    else if (key !== null) groups.set(key, [variant.id])
  }
  return groups
}

/** Variants of a line that the product has get its id: by id, else by SKU, else by their values. */
const identifyParts = async (db: Tx, store: StoreId, line: LineFields, product: string) => {
  if (!Array.isArray(line.options) && !Array.isArray(line.variants)) return
  const { options, variants } = await readOptionsAndVariants(db, store, product)
  identifyOptions(line, options)
  const texts = new Map(options.flatMap(({ values }) => values.map(({ id, value }) => [id, value])))
  const valuesOf = (values: Record<string, string>) => options.map(({ id }) => texts.get(values[id] ?? ''))
  const ids = new Set<unknown>(variants.map(({ id }) => id))
  const bySku = groupIds(variants, ({ sku }) => sku)
  const byValues = groupIds(variants, ({ values }) => JSON.stringify(valuesOf(values)))
  const taken = new Set<string>()
  const firstFree = (candidates: string[] = []) => {
    while (candidates.length > 0 && taken.has(candidates.at(-1) as string)) candidates.pop()
    return candidates.at(-1)
  }
  for (const given of list(line.variants)) {
    const known = ids.has(given.id)
      ? (given.id as string)
      : (firstFree(bySku.get(given.sku)) ??
        (given.values ? firstFree(byValues.get(JSON.stringify(textsOf(given)))) : undefined))
    if (known) {
      given.id = known
      taken.add(known)
    } else delete given.id
  }
}

/** Prepares a line for POST /product or, with the id of the product, for its update. */
export const prepareProductLine = async (db: Tx, store: StoreId, line: LineFields, product: string | undefined) => {
  await resolveCategory(db, store, line)
  if (product === undefined) dropPartIds(line)
  else await identifyParts(db, store, line, product)
}
