import { sql } from 'kysely'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

export const landingPageExists = createExistenceCheck('landing_page')

/** Locks the page until the transaction ends, so that its slug cannot change. */
export const lockLandingPage = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('landing_page')
    .select('slug')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Whether the store has the domain. Locks it against deletion until the transaction ends. */
export const lockDomain = async (db: Tx, store: StoreId, id: string) =>
  (await db
    .selectFrom('domain')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()) !== undefined

/** The highest number that follows `slug-` in the store's slugs, or 1. */
export const lastSlugNumber = async (db: Db, store: StoreId, slug: string): Promise<number> => {
  const rest = sql`substr(slug, length(${slug}::text) + 2)`
  const { last } = await db
    .selectFrom('landing_page')
    .select(sql<number | null>`max(${rest}::integer)`.as('last'))
    .where('store_id', '=', store)
    .where(sql<boolean>`starts_with(slug, ${`${slug}-`}) and ${rest} ~ '^[0-9]{1,8}$'`)
    .executeTakeFirstOrThrow()
  return last ?? 1
}

/** Sets `published_at` once; publishing again changes nothing. */
export const publishLandingPage = (db: Tx, store: StoreId, id: string) =>
  db
    .updateTable('landing_page')
    .set({ published_at: sql`now()`, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('published_at', 'is', null)
    .execute()

/** Makes a draft of it; a draft does not change. */
export const unpublishLandingPage = (db: Tx, store: StoreId, id: string) =>
  db
    .updateTable('landing_page')
    .set({ published_at: null, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('published_at', 'is not', null)
    .execute()

export const deleteLandingPage = (db: Tx, store: StoreId, id: string) =>
  db.deleteFrom('landing_page').where('store_id', '=', store).where('id', '=', id).returning('id').executeTakeFirst()
