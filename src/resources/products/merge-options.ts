import { newId } from '../../core/storage/new-id.ts'
import type { ValidationErrors } from '../../errors.ts'
import { MAX_OPTIONS, type OptionInput } from './input.ts'
import { nextOrder, type OptionValue, type ProductOption, sortByOrder } from './options-and-variants.ts'

type ValueInput = NonNullable<OptionInput['values']>[number]

export interface MergedOptions {
  options: ProductOption[]
  /** Options that variants can refer to by `order`: the order was given and is unique. */
  byOrder: Map<number, ProductOption>
}

/** Adds an error for each text that occurs twice. */
const refuseRepeats = (entries: { text: string; field: string }[], message: string, errors: ValidationErrors) => {
  const seen = new Set<string>()
  for (const { text, field } of entries) {
    if (seen.has(text)) errors.add(field, message)
    seen.add(text)
  }
}

const mergeValues = (
  current: OptionValue[],
  inputs: ValueInput[],
  at: string,
  errors: ValidationErrors,
): OptionValue[] => {
  const values = new Map(current.map((value) => [value.id, value]))
  const claimed = new Set(inputs.map(({ id }) => id))
  const byText = new Map(current.filter(({ id }) => !claimed.has(id)).map((value) => [value.value, value]))
  const fields = new Map<string, string>()
  let next = nextOrder(current)
  for (const [n, input] of inputs.entries()) {
    const field = `${at}.${n}`
    const known = input.id ? values.get(input.id) : byText.get(input.value ?? '')
    if (input.id && !known) errors.add(`${field}.id`, 'must be the id of a value of this option')
    else if (input._delete) {
      if (known) values.delete(known.id)
      else errors.add(field, 'must name a value to remove, by its id or text')
    } else if (!known && input.value === undefined) errors.add(`${field}.value`, 'is required')
    else {
      const id = known?.id ?? newId()
      if (fields.has(id)) errors.add(field, 'is given twice')
      fields.set(id, field)
      const order = input.order ?? known?.order ?? next
      next = nextOrder([{ order }, { order: next - 1 }])
      values.set(id, { id, value: input.value ?? known?.value ?? '', order })
    }
  }
  const named = [...values.values()].map(({ id, value }) => ({ text: value, field: fields.get(id) ?? at }))
  refuseRepeats(named, 'must differ from the other values of the option', errors)
  return sortByOrder(values.values())
}

const mergeOption = (
  known: ProductOption | undefined,
  input: OptionInput,
  at: string,
  order: number,
  errors: ValidationErrors,
) => {
  if (!known && input.name === undefined) errors.add(`${at}.name`, 'is required')
  const values = mergeValues(known?.values ?? [], input.values ?? [], `${at}.values`, errors)
  if (values.length === 0) errors.add(`${at}.values`, 'must have at least one value')
  return {
    id: known?.id ?? newId(),
    name: input.name ?? known?.name ?? '',
    order: input.order ?? known?.order ?? order,
    values,
  }
}

const uniqueByOrder = (options: ProductOption[], generated: Set<string>) => {
  const byOrder = new Map<number, ProductOption>()
  const shared = new Set<number>()
  for (const option of options) {
    if (byOrder.has(option.order)) shared.add(option.order)
    if (!generated.has(option.id)) byOrder.set(option.order, option)
  }
  for (const order of shared) byOrder.delete(order)
  return byOrder
}

/** An option with an id is changed or removed, one without is added, options not mentioned stay. */
export const mergeOptions = (
  current: ProductOption[],
  inputs: OptionInput[],
  errors: ValidationErrors,
): MergedOptions => {
  const options = new Map(current.map((option) => [option.id, option]))
  const fields = new Map<string, string>()
  const generated = new Set<string>()
  for (const [n, input] of inputs.entries()) {
    const at = `options.${n}`
    const known = input.id ? current.find(({ id }) => id === input.id) : undefined
    if (input.id && !known) errors.add(`${at}.id`, 'must be the id of an option of this product')
    else if (known && fields.has(known.id)) errors.add(`${at}.id`, 'is given twice')
    else if (input._delete) {
      if (!known) errors.add(`${at}.id`, 'is required')
      else {
        options.delete(known.id)
        fields.set(known.id, at)
      }
    } else {
      const option = mergeOption(known, input, at, nextOrder(options.values()), errors)
      options.set(option.id, option)
      fields.set(option.id, at)
      if (!known && input.order === undefined) generated.add(option.id)
    }
  }
  const named = [...options.values()].map(({ id, name }) => ({
    text: name,
    field: `${fields.get(id) ?? 'options'}.name`,
  }))
  refuseRepeats(named, 'must differ from the names of the other options', errors)
  if (options.size > MAX_OPTIONS) errors.add('options', `must not be more than ${MAX_OPTIONS}`)
  const sorted = sortByOrder(options.values())
  return { options: sorted, byOrder: uniqueByOrder(sorted, generated) }
}
