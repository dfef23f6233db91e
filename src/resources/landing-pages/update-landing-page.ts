import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { isSlugTaken, newSlug, slugColumns } from '../../core/storage/taken-slugs.ts'
import { invalid, notFound } from '../../errors.ts'
import { checkReferences } from './create-landing-page.ts'
import { lockLandingPage } from './queries.ts'
import type { ImportedChanges } from './schema.ts'

export const updateLandingPage = async (
  db: Tx,
  store: StoreId,
  id: string,
  changes: ImportedChanges,
): Promise<void> => {
  const before = await lockLandingPage(db, store, id)
  if (!before) throw notFound('landing page')
  const { slug: requestedSlug, ...others } = changes
  const slug = newSlug(requestedSlug, before.slug)
  await checkReferences(db, store, { ...others, ...(slug !== undefined && { slug }) }, id)
  if (Object.keys(changes).length === 0) return
  await db
    .updateTable('landing_page')
    .set({ ...others, ...(slug !== undefined && slugColumns(slug)), updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .execute()
    .catch((error) => {
      throw isSlugTaken(error, 'landing_page') ? invalid({ slug: ['is already taken'] }) : error
    })
}
