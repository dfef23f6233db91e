import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { slugify } from '../../core/input/normalize-text.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { refuseTaken } from './queries.ts'
import type { NewPolicy } from './schema.ts'

const MAX_GENERATED_SLUG = 100
const NUMBERED_TRIES = 20

const insert = (db: Tx, store: StoreId, policy: NewPolicy, slug: string) =>
  db
    .insertInto('policy')
    .values({ store_id: store, ...policy, slug })
    .onConflict((conflict) => conflict.expression(sql`store_id, slug_key(slug)`).doNothing())
    .returning('id')
    .executeTakeFirst()
    .catch(refuseTaken)

/** Tries the slug of the title, then numbered ones, then a random one. Another request may take one at the same time. */
const insertWithMadeSlug = async (db: Tx, store: StoreId, policy: NewPolicy) => {
  const base = slugify(policy.title).slice(0, MAX_GENERATED_SLUG) || policy.type
  let created = await insert(db, store, policy, base)
  for (let number = 2; !created; number++) {
    const suffix = number <= NUMBERED_TRIES ? number : randomBytes(4).toString('hex')
    created = await insert(db, store, policy, `${base}-${suffix}`)
  }
  return created
}

export const createPolicy = async (db: Tx, store: StoreId, policy: NewPolicy): Promise<string> => {
  const { slug } = policy
  const created =
    slug === undefined ? await insertWithMadeSlug(db, store, policy) : await insert(db, store, policy, slug)
  if (!created) throw invalid({ slug: ['is already taken'] })
  return created.id
}
