import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { invalid, notFound } from '../errors.ts'
import { slugify } from '../input/normalize-text.ts'
import { isUniqueViolation, type Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { slugIsTaken } from './queries.ts'
import type { NewPolicy, PolicyChanges } from './schema.ts'
import type {} from './tables.ts'

const MAX_GENERATED_SLUG = 100
const NUMBERED_TRIES = 20

const refuseTaken = (error: unknown): never => {
  if (isUniqueViolation(error, 'policy_slug')) throw invalid({ slug: ['is already taken'] })
  if (isUniqueViolation(error, 'policy_type')) throw invalid({ type: ['is the type of another policy'] })
  throw error
}

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

export const updatePolicy = async (db: Tx, store: StoreId, id: string, changes: PolicyChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  const changed = await db
    .updateTable('policy')
    .set({ ...changes, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
    .catch(refuseTaken)
  if (!changed) throw notFound('policy')
}

export const deletePolicy = async (db: Tx, store: StoreId, id: string): Promise<void> => {
  const deleted = await db
    .deleteFrom('policy')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('policy')
}
