import { randomBytes } from 'node:crypto'
import { slugify } from '../../core/input/normalize-text.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { takenSlugs } from '../../core/storage/taken-slugs.ts'

const MAX_NUMBERED = 5

/** Makes a free slug from the title: as is, then numbered, then with a random suffix. */
export const makeSlug = async (db: Db, store: StoreId, title: string): Promise<string> => {
  const base = slugify(title) || 'product'
  const numbered = Array.from({ length: MAX_NUMBERED - 1 }, (_, n) => `${base}-${n + 2}`)
  const candidates = [base, ...numbered]
  const taken = await takenSlugs(db, 'product', store, candidates)
  return candidates.find((slug) => !taken.has(slug)) ?? `${base}-${randomBytes(4).toString('hex')}`
}
