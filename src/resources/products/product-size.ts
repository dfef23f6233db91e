import { invalid, type ValidationErrors } from '../../errors.ts'
import { MAX_CHOICES, MAX_OPTION_VALUES, MAX_PRODUCT_BYTES, type ProductChanges } from './input.ts'
import type { OptionsAndVariants } from './options-and-variants.ts'

// Products are embedded in reviews, landing pages and orders, so their total size is limited across all updates.

const valueCount = ({ options }: OptionsAndVariants) => options.reduce((sum, { values }) => sum + values.length, 0)

const choiceCount = ({ options, variants }: OptionsAndVariants) => options.length * variants.length

/** A variant shows its values twice: one by one, and joined in its title. */
const variantBytes = ({ variants }: OptionsAndVariants) =>
  variants.reduce((sum, { title, sku }) => sum + 2 * Buffer.byteLength(title) + Buffer.byteLength(sku ?? ''), 0)

const tooManyValues = `must not have more than ${MAX_OPTION_VALUES} values in total`
const tooManyChoices = `times options must not exceed ${MAX_CHOICES}: use fewer variants or options`

/** Refuses a request whose own options and variants are too many, before anything is merged. */
export const checkGivenSize = (before: OptionsAndVariants, { options = [], variants = [] }: ProductChanges) => {
  const staying = (inputs: readonly { _delete?: boolean }[]) => inputs.filter(({ _delete }) => !_delete).length
  const values = options.reduce((sum, { values = [] }) => sum + staying(values), 0)
  if (values > Math.max(MAX_OPTION_VALUES, valueCount(before))) throw invalid({ options: [tooManyValues] })
  const given = options.filter(({ id, _delete }) => !id && !_delete).length
  if (given * staying(variants) > Math.max(MAX_CHOICES, choiceCount(before)))
    throw invalid({ variants: [tooManyChoices] })
}

const tooMuchText = `makes all text of the product more than ${MAX_PRODUCT_BYTES / 1024} kB`

/** Refuses only growth, so that products from before these limits can still be changed. */
export const checkStructureSize = (before: OptionsAndVariants, after: OptionsAndVariants, errors: ValidationErrors) => {
  const grows = (count: (structure: OptionsAndVariants) => number, max: number) =>
    count(after) > max && count(after) > count(before)
  if (grows(valueCount, MAX_OPTION_VALUES)) errors.add('options', tooManyValues)
  if (grows(choiceCount, MAX_CHOICES)) errors.add('variants', tooManyChoices)
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

/** All texts of a product. */
interface ProductTexts {
  product: Partial<Record<'title' | 'slug' | 'description' | 'page_title' | 'meta_description', string | null>>
  properties: readonly { name: string; value: string }[]
  options: readonly { name: string }[]
  values: readonly { value: string }[]
  variants: readonly { title: string; sku: string | null }[]
}

const textBytes = ({ product, properties, options, values, variants }: ProductTexts) => {
  const texts = [
    ...[product.title, product.slug, product.description, product.page_title, product.meta_description],
    ...properties.flatMap(({ name, value }) => [name, value]),
    ...options.map(({ name }) => name),
    ...values.map(({ value }) => value),
    ...variants.flatMap(({ title, sku }) => [title, title, sku]),
  ]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}

/** Refuses a change that leaves the product with these texts. */
export const checkProductSize = (change: ProductChanges, texts: ProductTexts) => {
  const field = textField(change)
  if (field && textBytes(texts) > MAX_PRODUCT_BYTES) throw invalid({ [field]: [tooMuchText] })
}
