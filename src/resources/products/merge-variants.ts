import { MAX_INTEGER } from '../../core/input/schemas.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import { MAX_VARIANTS, type ProductChanges, SHORTHAND, type StockInput, type VariantInput } from './input.ts'
import type { MergedOptions } from './merge-options.ts'
import { choiceKey, type OptionsAndVariants, type ProductOption, type ProductVariant } from './options-and-variants.ts'

const BLANK = { title: '', price: 0, compare_price: 0, sku: null, quantity: 0, place: 0, choice: '', values: {} }

const blank = (): ProductVariant => ({ id: newId(), ...BLANK, image: null, file: null })

const newQuantity = (before: number, input: StockInput, at: string, errors: ValidationErrors) => {
  const { quantity, quantity_delta: delta } = input
  if (delta === undefined) return quantity ?? before
  if (quantity !== undefined) errors.add(`${at}.quantity_delta`, 'cannot be given together with quantity')
  const after = before + delta
  if (after > MAX_INTEGER) errors.add(`${at}.quantity_delta`, 'would make the quantity too large')
  // Overselling makes the stock negative. Adding to it is fine, taking more is not.
  if (delta < 0 && after < 0) errors.add(`${at}.quantity_delta`, `would take more than the ${before} in stock`)
  return after
}

const withStock = (
  variant: ProductVariant,
  input: VariantInput,
  at: string,
  errors: ValidationErrors,
): ProductVariant => ({
  ...variant,
  price: input.price ?? variant.price,
  compare_price: input.compare_price ?? variant.compare_price,
  sku: input.sku === undefined ? variant.sku : input.sku,
  quantity: newQuantity(variant.quantity, input, at, errors),
  image: input.image === undefined ? variant.image : input.image,
  file: input.file === undefined ? variant.file : input.file,
})

type ValueResolver = (
  values: NonNullable<VariantInput['values']>,
  at: string,
  errors: ValidationErrors,
) => Record<string, string> | undefined

/** Maps each text that is a value of exactly one option to that option. */
const optionsByUniqueValue = (options: ProductOption[]) => {
  const owners = new Map<string, ProductOption | undefined>()
  for (const option of options)
    for (const { value } of option.values) owners.set(value, owners.has(value) ? undefined : option)
  return owners
}

/**
 * Resolves a variant's values to options and value ids. Some clients send the order of the value instead of the order
 * of the option: then the text decides, if only one option has it.
 */
const createValueResolver = ({ options, byOrder }: MergedOptions): ValueResolver => {
  const texts = new Map(options.map(({ id, values }) => [id, new Map(values.map(({ value, id }) => [value, id]))]))
  const owners = optionsByUniqueValue(options)
  return (values, at, errors) => {
    const chosen: Record<string, string> = {}
    let found = 0
    for (const [n, { order, value }] of values.entries()) {
      const named = (order === undefined ? undefined : byOrder.get(order)) ?? options[n]
      const option = named && texts.get(named.id)?.has(value) ? named : (owners.get(value) ?? named)
      const id = option && texts.get(option.id)?.get(value)
      if (!option) errors.add(`${at}.${n}`, 'matches no option of this product')
      else if (!id) errors.add(`${at}.${n}`, `must be one of the values of the option ${option.name}`)
      else if (chosen[option.id]) errors.add(`${at}.${n}`, `is a second value of the option ${option.name}`)
      else {
        chosen[option.id] = id
        found++
      }
    }
    return found === values.length ? chosen : undefined
  }
}

interface Mentioned {
  variants: Map<string, ProductVariant>
  /** Path of each variant in the request. */
  fields: Map<string, string>
  /** Variants whose values already have an error. */
  faulty: Set<string>
}

const mergeEntries = (
  current: ProductVariant[],
  inputs: VariantInput[],
  choose: ValueResolver,
  errors: ValidationErrors,
): Mentioned => {
  const known = new Map(current.map((variant) => [variant.id, variant]))
  const variants = new Map(known)
  const fields = new Map<string, string>()
  const faulty = new Set<string>()
  for (const [n, input] of inputs.entries()) {
    const at = `variants.${n}`
    const before = input.id ? known.get(input.id) : undefined
    if (input.id && !before) errors.add(`${at}.id`, 'must be the id of a variant of this product')
    else if (before && fields.has(before.id)) errors.add(`${at}.id`, 'is given twice')
    else if (input._delete) {
      if (!before) errors.add(`${at}.id`, 'is required')
      else {
        fields.set(before.id, at)
        variants.delete(before.id)
      }
    } else {
      const variant = withStock(before ?? blank(), input, at, errors)
      if (input.values) {
        const chosen = choose(input.values, `${at}.values`, errors)
        if (chosen) variant.values = chosen
        else faulty.add(variant.id)
      }
      fields.set(variant.id, at)
      variants.set(variant.id, variant)
    }
  }
  return { variants, fields, faulty }
}

/** Sets the choice and title of each variant. Adds an error for each variant without a value of every option. */
const assignChoices = (
  options: ProductOption[],
  title: string,
  { variants, fields, faulty }: Mentioned,
  errors: ValidationErrors,
) => {
  const texts = new Map(options.flatMap(({ values }) => values.map(({ id, value }) => [id, value])))
  const seen = new Set<string>()
  for (const variant of variants.values()) {
    if (faulty.has(variant.id)) continue
    const field = fields.get(variant.id)
    const chosen = options.map(({ id }) => variant.values[id]).filter((id) => id !== undefined && texts.has(id))
    if (chosen.length < options.length) {
      if (!field)
        errors.add('options', 'must leave every variant with a value of each option: send the values of the variants')
      else errors.add(`${field}.values`, 'must have a value of each option')
      continue
    }
    variant.values = Object.fromEntries(options.map(({ id }, n) => [id, chosen[n] as string]))
    variant.choice = choiceKey(chosen as string[])
    variant.title = chosen.length > 0 ? chosen.map((id) => texts.get(id as string)).join(' / ') : title
    if (seen.has(variant.choice)) {
      if (options.length === 0) errors.add(field ?? 'options', 'must not leave several variants without options')
      else errors.add(field ? `${field}.values` : 'options', 'must not make two variants the same')
    }
    seen.add(variant.choice)
  }
}

/** New variants are added after the existing ones, unless the request lists all variants: then its order counts. */
const assignPositions = (current: ProductVariant[], { variants, fields }: Mentioned) => {
  const staying = current.filter(({ id }) => variants.has(id))
  const listed = [...fields.keys()].filter((id) => variants.has(id))
  const known = new Set(staying.map(({ id }) => id))
  const all = staying.every(({ id }) => fields.has(id))
  const sequence = all ? listed : [...known, ...listed.filter((id) => !known.has(id))]
  const unchanged = staying.every(({ id }, n) => sequence[n] === id)
  let place = -1
  for (const [n, id] of sequence.entries()) {
    const variant = variants.get(id) as ProductVariant
    if (!unchanged) variant.place = n
    else variant.place = known.has(id) ? variant.place : place + 1
    place = variant.place
  }
  return sequence.map((id) => variants.get(id) as ProductVariant)
}

/** The only variant of a product without options. If the product had options before, its first variant is kept. */
const mergeDefault = (current: ProductVariant[], input: StockInput, errors: ValidationErrors): Mentioned => {
  const variant = withStock(current[0] ?? blank(), input, 'default', errors)
  return { variants: new Map([[variant.id, variant]]), fields: new Map([[variant.id, 'default']]), faulty: new Set() }
}

/** Refuses to set a negative quantity. One that overselling has caused may be sent back unchanged. */
export const refuseNegativeStock = (
  { variants: stored }: OptionsAndVariants,
  { variants = [], default: single }: ProductChanges,
  errors: ValidationErrors,
) => {
  const known = new Map(stored.map(({ id, quantity }) => [id, quantity]))
  const check = ({ quantity = 0 }: StockInput, before: number | undefined, at: string) => {
    if (quantity < 0 && quantity !== before)
      errors.add(`${at}.quantity`, `must be a whole number from 0 to ${MAX_INTEGER}`)
  }
  if (single) check(single, stored[0]?.quantity, 'default')
  for (const [n, variant] of variants.entries())
    if (!variant._delete) check(variant, known.get(variant.id ?? ''), `variants.${n}`)
}

/**
 * Computes the new variants. A product that gets its first options loses its only variant, unless the request gives it
 * values. A product that loses its last option keeps its only remaining variant, or its first one if the request has
 * `default`.
 */
export const mergeVariants = (
  { options: before, variants: stored }: OptionsAndVariants,
  merged: MergedOptions,
  body: ProductChanges,
  title: string,
  errors: ValidationErrors,
): ProductVariant[] => {
  const { options } = merged
  const { variants: inputs = [], default: single } = body
  // Copies, because the stored variants are compared with the result later.
  const current = stored.map((variant) => ({ ...variant }))
  const short = SHORTHAND.filter((field) => body[field] !== undefined)
  for (const field of single ? (short.length > 0 ? short : ['default']) : []) {
    if (inputs.length > 0) errors.add(field, 'cannot be given together with variants')
    if (options.length > 0) errors.add(field, 'is for products without options')
  }
  const simple = options.length === 0 && inputs.length === 0 && (single || current.length === 0)
  const mentioned = simple
    ? mergeDefault(current, single ?? {}, errors)
    : mergeEntries(current, inputs, createValueResolver(merged), errors)
  if (before.length === 0 && options.length > 0) {
    for (const { id } of current) if (!mentioned.fields.has(id)) mentioned.variants.delete(id)
  }
  const { size } = mentioned.variants
  if (size > MAX_VARIANTS) errors.add('variants', `must not be more than ${MAX_VARIANTS}`)
  if (size === 0)
    errors.add(
      'variants',
      options.length > 0
        ? 'is required: options need variants'
        : 'must leave at least one variant, or come with default',
    )
  assignChoices(options, title, mentioned, errors)
  return assignPositions(current, mentioned)
}
