import { randomBytes } from 'node:crypto'
import { slugify } from '../../core/input/normalize-text.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { takenSlugs } from '../../core/storage/taken-slugs.ts'
import { invalid, ValidationErrors } from '../../errors.ts'
import { lockProductReference } from '../products/queries.ts'
import { lastSlugNumber, lockDomain } from './queries.ts'
import type { LandingPageChanges, NewLandingPage } from './schema.ts'

const NUMBERED_TRIES = 3
const MAX_MADE_SLUG_LENGTH = 100

/** Checks that the product and the domain exist in the store and the slug is free. */
export const checkReferences = async (db: Tx, store: StoreId, page: LandingPageChanges, self?: string) => {
  const errors = new ValidationErrors()
  if (page.product_id !== undefined && !(await lockProductReference(db, store, page.product_id)))
    errors.add('product_id', 'must be the id of a product')
  if (typeof page.domain_id === 'string' && !(await lockDomain(db, store, page.domain_id)))
    errors.add('domain_id', 'must be the id of a domain')
  if (page.slug !== undefined && (await takenSlugs(db, 'landing_page', store, [page.slug], self)).size > 0)
    errors.add('slug', 'is already taken')
  errors.throwIfAny()
}

const insert = (db: Tx, store: StoreId, page: NewLandingPage, slug: string) =>
  db
    .insertInto('landing_page')
    .values({ store_id: store, ...page, slug })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()

/** Tries the slug of the title, then numbered ones, then a random one. */
const insertWithMadeSlug = async (db: Tx, store: StoreId, page: NewLandingPage) => {
  const base = slugify(page.title).slice(0, MAX_MADE_SLUG_LENGTH) || 'page'
  let created = await insert(db, store, page, base)
  for (let attempt = 1; !created; attempt++) {
    const suffix =
      attempt <= NUMBERED_TRIES ? (await lastSlugNumber(db, store, base)) + 1 : randomBytes(4).toString('hex')
    created = await insert(db, store, page, `${base}-${suffix}`)
  }
  return created
}

/** Returns the id. */
export const createLandingPage = async (db: Tx, store: StoreId, page: NewLandingPage): Promise<string> => {
  await checkReferences(db, store, page)
  const created =
    page.slug === undefined ? await insertWithMadeSlug(db, store, page) : await insert(db, store, page, page.slug)
  if (!created) throw invalid({ slug: ['is already taken'] })
  return created.id
}
