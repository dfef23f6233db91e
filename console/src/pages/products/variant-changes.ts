import type { Body } from '../../../../client/src/index.ts'
import { parseNumber } from '../../../../src/core/input/parse-number.ts'
import { CELLS, type Cell, type Draft, type Option, type Variant } from './draft.ts'

/** Files of a variant, by their ids. */
export const LINKS = ['image', 'file'] as const
export type Link = (typeof LINKS)[number]

type Input = NonNullable<Body<'POST /product/{id}/update'>['variants']>[number]

const cellValue = (cell: Cell, text: string) => {
  if (cell === 'sku') return text.trim() === '' ? null : text.trim()
  return text.trim() === '' ? 0 : parseNumber(text)
}

export const sameLink = (a: Variant, b: Variant, link: Link) => a[link]?.id === b[link]?.id

const cellsOf = (after: Variant, before?: Variant) => ({
  ...Object.fromEntries(
    CELLS.flatMap((cell) => (before && before[cell] === after[cell] ? [] : [[cell, cellValue(cell, after[cell])]])),
  ),
  ...Object.fromEntries(
    LINKS.flatMap((link) =>
      (before ? sameLink(after, before, link) : !after[link]) ? [] : [[link, after[link]?.id ?? null]],
    ),
  ),
})

export const sameRows = (before: readonly Variant[], after: readonly Variant[]) =>
  before === after ||
  (before.length === after.length &&
    before.every((row, n) => {
      const other = after[n] as Variant
      return (
        row === other ||
        (row.key === other.key &&
          row.values.join() === other.values.join() &&
          CELLS.every((cell) => row[cell] === other[cell]) &&
          LINKS.every((link) => sameLink(row, other, link)))
      )
    }))

const isNew = (key: string) => key.startsWith('new-')

/** Texts of the values, in the sequence of the options: the API takes their position for the option. */
const valuesOf = (options: readonly Option[], { values }: Variant) =>
  options.map((option, n) => ({ value: option.values.find(({ key }) => key === values[n])?.value ?? '' }))

interface VariantChanges {
  body: Pick<Body<'POST /product/{id}/update'>, 'variants' | 'default'>
  rows: readonly string[]
}

/** The variants that changed, came or went, each with the fields that differ. */
export const variantChanges = (before: Draft, after: Draft): VariantChanges => {
  const [single] = after.variants
  if (after.options.length === 0) {
    if (!single) return { body: {}, rows: [] }
    const was = before.options.length === 0 ? before.variants.find(({ key }) => key === single.key) : undefined
    const cells = cellsOf(single, was)
    return Object.keys(cells).length > 0 || !was
      ? { body: { default: cells }, rows: [single.key] }
      : { body: {}, rows: [] }
  }
  const sameChoices = before.options.map(({ key }) => key).join() === after.options.map(({ key }) => key).join()
  const known = new Map(before.variants.map((variant) => [variant.key, variant]))
  const kept = new Set(after.variants.map(({ key }) => key))
  const entries: [string, Input][] = []
  for (const variant of after.variants) {
    const was = known.get(variant.key)
    if (!was || isNew(variant.key))
      entries.push([variant.key, { ...cellsOf(variant), values: valuesOf(after.options, variant) } as Input])
    else if (was !== variant || !sameChoices) {
      const cells = cellsOf(variant, was)
      const moved = !sameChoices || was.values.join() !== variant.values.join()
      if (moved || Object.keys(cells).length > 0)
        entries.push([
          variant.key,
          { id: variant.key, ...cells, ...(moved && { values: valuesOf(after.options, variant) }) } as Input,
        ])
    }
  }
  for (const { key } of before.variants)
    if (!kept.has(key) && !isNew(key)) entries.push([key, { id: key, _delete: true } as Input])
  return {
    body: entries.length > 0 ? { variants: entries.map(([, entry]) => entry) } : {},
    rows: entries.map(([key]) => key),
  }
}
