import { sql } from 'kysely'
import { invalid, notFound } from '../errors.ts'
import type { FileLinks } from '../files/links.ts'
import type { StoreId } from '../http/access.ts'
import { isUniqueViolation, type Tx } from '../storage/database.ts'
import { checkReferences } from './create-landing-page.ts'
import { findLandingPage, landingPageExists } from './queries.ts'
import type { LandingPageChanges } from './schema.ts'

export const updateLandingPage = async (
  db: Tx,
  links: FileLinks,
  store: StoreId,
  id: string,
  changes: LandingPageChanges,
): Promise<string> => {
  if (!(await landingPageExists(db, store, id))) throw notFound('landing page')
  await checkReferences(db, store, changes, id)
  if (Object.keys(changes).length > 0) {
    await db
      .updateTable('landing_page')
      .set({ ...changes, updated_at: sql`now()` })
      .where('store_id', '=', store)
      .where('id', '=', id)
      .execute()
      .catch((error) => {
        // Somebody else took it since the check.
        if (isUniqueViolation(error, 'landing_page_store_id_slug_key')) throw invalid({ slug: ['is already taken'] })
        throw error
      })
  }
  const page = await findLandingPage(db, links, store, id)
  if (!page) throw notFound('landing page')
  return page
}
