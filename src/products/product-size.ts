import { sql } from 'kysely'
import { invalid, type ValidationErrors } from '../errors.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { MAX_CHOICES, MAX_OPTION_VALUES, MAX_PRODUCT_BYTES, type ProductChanges } from './input.ts'
import type { OptionsAndVariants } from './options-and-variants.ts'

// Products are embedded in reviews, landing pages and orders, so their total size is limited across all updates.

const valueCount = ({ options }: OptionsAndVariants) => options.reduce((sum, { values }) => sum + values.length, 0)

const choiceCount = ({ options, variants }: OptionsAndVariants) => options.length * variants.length

/** A variant shows its values twice: one by one, and joined in its title. */
const variantBytes = ({ variants }: OptionsAndVariants) =>
  variants.reduce((sum, { title, sku }) => sum + 2 * Buffer.byteLength(title) + Buffer.byteLength(sku ?? ''), 0)

const tooMuchText = `makes all text of the product more than ${MAX_PRODUCT_BYTES / 1024} kB`

/** Refuses only growth, so that products from before these limits can still be changed. */
export const checkStructureSize = (before: OptionsAndVariants, after: OptionsAndVariants, errors: ValidationErrors) => {
  const grows = (count: (structure: OptionsAndVariants) => number, max: number) =>
    count(after) > max && count(after) > count(before)
  if (grows(valueCount, MAX_OPTION_VALUES))
    errors.add('options', `must not have more than ${MAX_OPTION_VALUES} values in total`)
  if (grows(choiceCount, MAX_CHOICES))
    errors.add('variants', `times options must not exceed ${MAX_CHOICES}: use fewer variants or options`)
  if (grows(variantBytes, MAX_PRODUCT_BYTES)) errors.add('variants', tooMuchText)
}

/** The field that most likely exceeds the limit, if the change can have added text. */
const textField = ({ variants, options, properties, description, default: single, ...body }: ProductChanges) => {
  if (variants?.some(({ values, sku }) => values ?? sku)) return 'variants'
  if (options) return 'options'
  if (properties?.length) return 'properties'
  if (description) return 'description'
  return body.title || body.page_title || body.meta_description || single?.sku ? 'metadata' : undefined
}

const textBytes = async (db: Tx, store: StoreId, id: string) => {
  const { rows } = await sql<{ bytes: number }>`
    select (octet_length(concat(p.title, p.slug, p.description, p.page_title, p.meta_description))
      + coalesce((select sum(octet_length(y.name) + octet_length(y.value)) from product_property y
        where y.store_id = ${store} and y.product_id = p.id), 0)
      + coalesce((select sum(octet_length(o.name)) from product_option o
        where o.store_id = ${store} and o.product_id = p.id), 0)
      + coalesce((select sum(octet_length(b.value)) from option_value b
        where b.store_id = ${store} and b.product_id = p.id), 0)
      + coalesce((select sum(2 * octet_length(v.title) + coalesce(octet_length(v.sku), 0)) from variant v
        where v.store_id = ${store} and v.product_id = p.id), 0))::int as bytes
    from product p where p.store_id = ${store} and p.id = ${id}`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Call after the change is written: the error rolls it back. */
export const checkProductSize = async (db: Tx, store: StoreId, id: string, change: ProductChanges) => {
  const field = textField(change)
  if (field && (await textBytes(db, store, id)) > MAX_PRODUCT_BYTES) throw invalid({ [field]: [tooMuchText] })
}
