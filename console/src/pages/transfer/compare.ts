import type { CsvLine } from '../../../../src/resources/bulk/csv/row.ts'
import { formatMoney } from '../../components/Money.tsx'
import type { Customer } from '../customers/CustomerForm.tsx'
import { type Product, variantsOf } from '../products/labels.ts'

type Fields = CsvLine['fields']

export interface Change {
  /** The variant, if the product has several. */
  of?: string
  field: string
  before: string
  after: string
}

interface Formats {
  locale: string
  currency: string
}

const STOCK = ['sku', 'price', 'compare_price', 'quantity'] as const

const text = (field: string, value: unknown, { locale, currency }: Formats): string => {
  if (value === null || value === undefined || value === '') return ''
  if (field === 'price' || field === 'compare_price') return formatMoney(locale, Number(value), currency)
  return String(value)
}

const differ = (field: string, before: unknown, after: unknown, formats: Formats, of?: string): Change[] => {
  const pair = { before: text(field, before, formats), after: text(field, after, formats) }
  return pair.before === pair.after ? [] : [{ field, ...pair, ...(of !== undefined && { of }) }]
}

/** What a line of the file changes in a resource as it is now. */
export const changesOf = (
  fields: Fields,
  now: Product | Customer,
  names: Readonly<Record<string, string>>,
  formats: Formats,
): Change[] => {
  const plain = Object.entries(fields).filter(([field]) => field in names && !STOCK.includes(field as never))
  const changes = plain.flatMap(([field, after]) => {
    const before = (now as unknown as Record<string, unknown>)[field]
    return differ(field, field === 'category' ? (before as Product['category'])?.name : before, after, formats)
  })
  if (!('options' in now)) return changes
  const variants = variantsOf(now)
  const given = (fields.variants as Fields[] | undefined) ?? [fields]
  return [
    ...changes,
    ...given.flatMap((line) => {
      const found = variants.find(({ sku }) => sku !== null && sku === line.sku) ?? variantByValues(variants, line)
      const of = given.length > 1 ? String(line.sku ?? found?.title ?? '') : undefined
      return STOCK.flatMap((field) =>
        line[field] === undefined ? [] : differ(field, found?.[field], line[field], formats, of),
      )
    }),
  ]
}

const variantByValues = (variants: ReturnType<typeof variantsOf>, { values }: Fields) => {
  if (!Array.isArray(values)) return variants.length === 1 ? variants[0] : undefined
  const wanted = values.map(({ value }: { value: string }) => value).join()
  return variants.find((variant) => variant.values.map(({ value }) => value).join() === wanted)
}
