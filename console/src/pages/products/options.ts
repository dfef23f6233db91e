import { type Draft, newKey, type Option, type OptionValue, type Variant } from './draft.ts'

export const MAX_VARIANTS = 2_000

/** Options have a value at least, and variants a value of each option. */
type Part = Pick<Draft, 'options' | 'variants'>

/** Every combination of one key of each list. */
const combinations = (lists: readonly (readonly string[])[]): string[][] =>
  lists.reduce<string[][]>((rows, list) => rows.flatMap((row) => list.map((key) => [...row, key])), [[]])

/** A new row costs what the first one does; its stock and SKU are its own. */
const rowFor = (values: string[], [like]: readonly Variant[]): Variant => ({
  key: newKey(),
  values,
  price: like?.price ?? '',
  compare_price: like?.compare_price ?? '',
  sku: '',
  quantity: '0',
  image: null,
  file: null,
})

/** How many variants there would be with one more value of the option. */
export const variantsWithValue = ({ options, variants }: Part, at: number) =>
  variants.length + options.reduce((product, { values }, n) => (n === at ? product : product * values.length), 1)

/** The variants there are get the first value of a new option. */
export const addOption = ({ options, variants }: Part, name: string, value: string): Part => {
  const added: OptionValue = { key: newKey(), value }
  return {
    options: [...options, { key: newKey(), name, values: [added] }],
    variants: variants.map((row) => ({ ...row, values: [...row.values, added.key] })),
  }
}

/** A further value makes a variant with every combination of the other options. */
export const addValue = ({ options, variants }: Part, at: number, value: string): Part => {
  const added: OptionValue = { key: newKey(), value }
  const next = options.map((option, n) => (n === at ? { ...option, values: [...option.values, added] } : option))
  const lists = next.map(({ values }, n) => (n === at ? [added.key] : values.map(({ key }) => key)))
  return { options: next, variants: [...variants, ...combinations(lists).map((values) => rowFor(values, variants))] }
}

/** Of variants that become the same, the first stays. */
export const removeOption = ({ options, variants }: Part, at: number): Part => {
  const seen = new Set<string>()
  const rows = variants.map((row) => ({ ...row, values: row.values.filter((_, n) => n !== at) }))
  return {
    options: options.filter((_, n) => n !== at),
    variants: rows.filter(({ values }) => !seen.has(values.join()) && seen.add(values.join())),
  }
}

/** Its variants go with it. The last value of an option takes the option with it. */
export const removeValue = (part: Part, at: number, key: string): Part => {
  const option = part.options[at] as Option
  if (option.values.length === 1) return removeOption(part, at)
  const values = option.values.filter((value) => value.key !== key)
  return {
    options: part.options.map((other, n) => (n === at ? { ...other, values } : other)),
    variants: part.variants.filter((row) => row.values[at] !== key),
  }
}

export const renameOption = (options: readonly Option[], at: number, name: string) =>
  options.map((option, n) => (n === at ? { ...option, name } : option))

/** «Blue / M», as the API writes it. */
export const titleOf = (names: ReadonlyMap<string, string>, { values }: Variant) =>
  values.map((key) => names.get(key) ?? '').join(' / ')

export const valueNames = (options: readonly Option[]) =>
  new Map(options.flatMap(({ values }) => values.map(({ key, value }) => [key, value])))
