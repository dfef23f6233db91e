import { CELLS, type Cell, type Draft, type Variant } from './draft.ts'
import { titleOf, valueNames } from './options.ts'
import { sameAttributes, sameOptions, samePictures } from './product-changes.ts'
import { LINKS, type Link, sameLink } from './variant-changes.ts'

/** Fields that are compared as one. */
export type Field = keyof Draft | Cell | Link

export interface Difference {
  id: string
  field: Field
  /** The variant, where it is about one. */
  variant?: string
  mine: string
  theirs: string
  /** Whose change it is. */
  by: 'both' | 'them' | 'me'
}

export type Choice = 'mine' | 'theirs'

type Structure = Pick<Draft, 'options' | 'variants'>

const TEXTS = [
  'title',
  'description',
  'status',
  'category_id',
  'slug',
  'page_title',
  'meta_description',
  'is_digital',
  'stock_tracked',
  'allow_order_when_oos',
] as const

const LISTS = {
  images: { same: samePictures, text: (list: Draft['images']) => list.map(({ name }) => name).join(', ') },
  videos: { same: samePictures, text: (list: Draft['videos']) => list.map(({ name }) => name).join(', ') },
  attributes: {
    same: sameAttributes,
    text: (list: Draft['attributes']) => list.map(({ name, value }) => `${name}: ${value}`).join(', '),
  },
}

const keysOf = (rows: readonly Variant[]) => [...rows.map(({ key }) => key)].sort().join()

const sameStructure = (a: Structure, b: Structure) =>
  sameOptions(a.options, b.options) && keysOf(a.variants) === keysOf(b.variants)

const structureText = ({ options, variants }: Structure) =>
  [
    ...options.map(({ name, values }) => `${name}: ${values.map(({ value }) => value).join(', ')}`),
    variants.length,
  ].join(' · ')

const by = (mine: boolean, theirs: boolean) => (mine && theirs ? 'both' : theirs ? 'them' : 'me')

interface Versions {
  /** As it was when the editing began. */
  base: Draft
  mine: Draft
  /** As it is now. */
  theirs: Draft
}

const cellDifferences = ({ base, mine, theirs }: Versions): Difference[] => {
  const was = new Map(base.variants.map((row) => [row.key, row]))
  const now = new Map(theirs.variants.map((row) => [row.key, row]))
  const names = valueNames(mine.options)
  return mine.variants.flatMap((row) => {
    const [before, after] = [was.get(row.key), now.get(row.key)]
    if (!before || !after) return []
    const variant = row.values.length > 0 ? { variant: titleOf(names, row) } : {}
    const links = LINKS.flatMap((link): Difference[] => {
      const changed = [!sameLink(row, before, link), !sameLink(after, before, link)] as const
      if (sameLink(row, after, link) || !(changed[0] || changed[1])) return []
      const text = { mine: row[link]?.name ?? '', theirs: after[link]?.name ?? '' }
      return [{ id: `${row.key} ${link}`, field: link, ...variant, ...text, by: by(...changed) }]
    })
    const cells = CELLS.flatMap((cell): Difference[] => {
      const changed = [row[cell] !== before[cell], after[cell] !== before[cell]] as const
      if (row[cell] === after[cell] || !(changed[0] || changed[1])) return []
      const id = `${row.key} ${cell}`
      return [{ id, field: cell, ...variant, mine: row[cell], theirs: after[cell], by: by(...changed) }]
    })
    return [...cells, ...links]
  })
}

/** What one side or both have changed. What both changed alike is no difference. */
export const differences = (versions: Versions): Difference[] => {
  const { base, mine, theirs } = versions
  const found: Difference[] = []
  for (const field of TEXTS) {
    const changed = [mine[field] !== base[field], theirs[field] !== base[field]] as const
    if (mine[field] !== theirs[field] && (changed[0] || changed[1]))
      found.push({ id: field, field, mine: String(mine[field]), theirs: String(theirs[field]), by: by(...changed) })
  }
  for (const [field, { same, text }] of Object.entries(LISTS) as ['images', (typeof LISTS)['images']][]) {
    const changed = [!same(mine[field], base[field]), !same(theirs[field], base[field])] as const
    if (!same(mine[field], theirs[field]) && (changed[0] || changed[1]))
      found.push({ id: field, field, mine: text(mine[field]), theirs: text(theirs[field]), by: by(...changed) })
  }
  if (!sameStructure(mine, theirs)) {
    const changed = [!sameStructure(mine, base), !sameStructure(theirs, base)] as const
    const text = { mine: structureText(mine), theirs: structureText(theirs) }
    found.push({ id: 'options', field: 'options', ...text, by: by(...changed) })
  }
  return [...found, ...cellDifferences(versions)]
}

/** Where nothing was chosen, what only one side changed is that side's, and what both changed is mine. */
export const chosenSide = ({ id, by }: Difference, chosen: ReadonlyMap<string, Choice>): Choice =>
  chosen.get(id) ?? (by === 'them' ? 'theirs' : 'mine')

/** One version out of two. */
export const mergeDrafts = (versions: Versions, chosen: ReadonlyMap<string, Choice>): Draft => {
  const { mine, theirs } = versions
  const takesTheirs = new Map(
    differences(versions).map((difference) => [difference.id, chosenSide(difference, chosen) === 'theirs']),
  )
  const merged = { ...mine }
  for (const field of [...TEXTS, 'images', 'videos', 'attributes'] as const)
    if (takesTheirs.get(field)) Object.assign(merged, { [field]: theirs[field] })
  const rows = takesTheirs.get('options') ? theirs : mine
  const mineByKey = new Map(mine.variants.map((row) => [row.key, row]))
  const theirsByKey = new Map(theirs.variants.map((row) => [row.key, row]))
  merged.options = rows.options
  merged.variants = rows.variants.map((row) => {
    const cells = [...CELLS, ...LINKS].map((cell) => {
      const side = takesTheirs.get(`${row.key} ${cell}`) ? theirsByKey : mineByKey
      return [cell, (side.get(row.key) ?? row)[cell]]
    })
    return { ...row, ...Object.fromEntries(cells) }
  })
  return merged
}

/** Whether they changed nothing but stock that I did not touch: orders do that all day. */
export const isStockOnly = (found: readonly Difference[]) =>
  found.every(({ by, field }) => by === 'me' || (by === 'them' && field === 'quantity'))
