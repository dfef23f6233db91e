import type { BulkResource } from '../../core/http/resource.ts'
import { createChecker } from '../../core/input/validation.ts'
import { createLandingPage } from './create-landing-page.ts'
import { ImportedChanges, NewLandingPage } from './schema.ts'
import { updateLandingPage } from './update-landing-page.ts'

export const landingPageBulk: BulkResource = {
  table: 'landing_page',
  // A line may publish a page.
  permissions: { create: 'landing_page:create', update: ['landing_page:update', 'landing_page:publish'] },
  creation: createChecker(NewLandingPage),
  changes: createChecker(ImportedChanges),
  create: (db, { store }, body: NewLandingPage) => createLandingPage(db, store, body),
  update: (db, { store }, id, body: ImportedChanges) => updateLandingPage(db, store, id, body),
}
