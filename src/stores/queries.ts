import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** Waits for other changes of the store's own settings and limits. Orders and products are not held up. */
export const lockStore = (db: Db, store: string) =>
  sql`select 1 from store where id = ${store} for no key update`.execute(db)
