import { randomBytes } from 'node:crypto'
import { slugify } from '../input/normalize-text.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { refuseTaken, slugIsTaken } from './queries.ts'
import type { NewPolicy } from './schema.ts'

const MAX_GENERATED_SLUG = 100
const NUMBERED_TRIES = 20

/** Tries the slug of the title, then a numbered one, then a random one. */
const makeSlug = async (db: Tx, store: StoreId, { title, type }: NewPolicy) => {
  const base = slugify(title).slice(0, MAX_GENERATED_SLUG) || type
  for (let number = 1; number <= NUMBERED_TRIES; number++) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!(await slugIsTaken(db, store, slug))) return slug
  }
  return `${base}-${randomBytes(4).toString('hex')}`
}

export const createPolicy = async (db: Tx, store: StoreId, policy: NewPolicy): Promise<string> => {
  const slug = policy.slug ?? (await makeSlug(db, store, policy))
  const { id } = await db
    .insertInto('policy')
    .values({ store_id: store, ...policy, slug })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseTaken)
  return id
}
