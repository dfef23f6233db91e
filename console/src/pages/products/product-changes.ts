import type { Body } from '../../../../client/src/index.ts'
import { type Attribute, type Draft, isNew, type Option, type OptionValue, type Picture } from './draft.ts'
import { sameRows, variantChanges } from './variant-changes.ts'

type Changes = Body<'POST /product/{id}/update'>

const TEXTS = ['description', 'page_title', 'meta_description', 'category_id'] as const
const PLAIN = ['status', 'is_digital', 'stock_tracked', 'allow_order_when_oos'] as const

const sameList = <T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean) =>
  a === b || (a.length === b.length && a.every((item, n) => same(item, b[n] as T)))

export const samePictures = (a: readonly Picture[], b: readonly Picture[]) => sameList(a, b, (a, b) => a.id === b.id)

export const sameAttributes = (a: readonly Attribute[], b: readonly Attribute[]) =>
  sameList(a, b, (a, b) => a.name === b.name && a.value === b.value)

export const sameOptions = (a: readonly Option[], b: readonly Option[]) =>
  sameList(
    a,
    b,
    (a, b) =>
      a.key === b.key &&
      a.name === b.name &&
      sameList(a.values, b.values, (a, b) => a.key === b.key && a.value === b.value),
  )

type OptionChange = NonNullable<Changes['options']>[number]
type ValueChange = NonNullable<OptionChange['values']>[number]

const valueChanges = (before: readonly OptionValue[], after: readonly OptionValue[]): ValueChange[] => {
  const known = new Map(before.map((value) => [value.key, value]))
  const kept = new Set(after.map(({ key }) => key))
  return [
    ...after.flatMap((value, order): ValueChange[] => {
      if (isNew(value)) return [{ value: value.value, order }]
      return known.get(value.key)?.value === value.value ? [] : [{ id: value.key, value: value.value }]
    }),
    ...before.flatMap(({ key }) => (kept.has(key) ? [] : [{ id: key, _delete: true }])),
  ]
}

const optionChanges = (before: readonly Option[], after: readonly Option[]): [key: string, OptionChange][] => {
  const kept = new Set(after.map(({ key }) => key))
  const known = new Map(before.map((option) => [option.key, option]))
  const removed = before.flatMap(({ key }): [string, OptionChange][] =>
    kept.has(key) ? [] : [[key, { id: key, _delete: true }]],
  )
  // The values of variants are told by position, so the sequence is stated whenever an option comes or goes.
  const sequence = removed.length > 0 || after.some(isNew)
  return [
    ...after.flatMap((option, order): [string, OptionChange][] => {
      const was = known.get(option.key)
      const values = valueChanges(was?.values ?? [], option.values)
      if (!was) return [[option.key, { name: option.name, order, values }]]
      const change = {
        ...(was.name !== option.name && { name: option.name }),
        ...(sequence && { order }),
        ...(values.length > 0 && { values }),
      }
      return Object.keys(change).length > 0 ? [[option.key, { id: option.key, ...change }]] : []
    }),
    ...removed,
  ]
}

export interface ProductChanges {
  body: Changes
  /** Keys of the options and variants that the request names, in its sequence: errors are told by it. */
  options: readonly string[]
  rows: readonly string[]
  /** Alternative texts by file. They belong to the files, not to the product. */
  alts: ReadonlyMap<string, string>
}

/** Only what differs. */
export const changesOf = (before: Draft, after: Draft): ProductChanges => {
  const body: Changes = {}
  if (after.title !== before.title) body.title = after.title
  if (after.slug !== before.slug && after.slug.trim() !== '') body.slug = after.slug.trim()
  for (const name of TEXTS)
    if (after[name] !== before[name]) body[name] = after[name].trim() === '' ? null : after[name]
  for (const name of PLAIN) if (after[name] !== before[name]) Object.assign(body, { [name]: after[name] })
  if (!samePictures(before.images, after.images)) body.images = after.images.map(({ id }, order) => ({ id, order }))
  if (!samePictures(before.videos, after.videos)) body.ugc_videos = after.videos.map(({ id }, order) => ({ id, order }))
  if (!sameAttributes(before.attributes, after.attributes))
    body.properties = after.attributes.map(({ name, value }) => ({ name, value }))
  let rows: readonly string[] = []
  const options = sameOptions(before.options, after.options) ? [] : optionChanges(before.options, after.options)
  if (options.length > 0) body.options = options.map(([, change]) => change)
  if (options.length > 0 || !sameRows(before.variants, after.variants)) {
    const variants = variantChanges(before, after)
    Object.assign(body, variants.body)
    rows = variants.rows
  }
  const alts = new Map(before.images.map(({ id, alt }) => [id, alt]))
  const changed = after.images.flatMap(({ id, alt }) => ((alts.get(id) ?? '') === alt ? [] : [[id, alt] as const]))
  return { body, options: options.map(([key]) => key), rows, alts: new Map(changed) }
}

export const isChanged = ({ body, alts }: ProductChanges) => Object.keys(body).length > 0 || alts.size > 0
