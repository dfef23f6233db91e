import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** Serialises changes of the store's settings and limits. Does not block orders or products. */
export const lockStore = (db: Db, store: string) =>
  sql`select 1 from store where id = ${store} for no key update`.execute(db)
