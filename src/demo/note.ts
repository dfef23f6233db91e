import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../core/storage/advisory-locks.ts'
import type { Tx } from '../core/storage/database.ts'

const NAME = 'demo_store'

/** Stored in the table of settings. It survives the store, so that a removed demo store is not loaded again. */
export interface Note {
  install_id: string
  salt: string
  /** The DEMO setting disabled the app; `app disable` does not set this. */
  shut?: boolean
}

/** Serialises nodes that start at the same time: the first loads the store, the others find it loaded. */
export const lockDemo = (db: Tx) => sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.demo)})`.execute(db)

export const readNote = async (db: Tx): Promise<Note | undefined> => {
  const row = await db.selectFrom('setting').select('value').where('name', '=', NAME).executeTakeFirst()
  return row && JSON.parse(row.value)
}

export const writeNote = (db: Tx, note: Note) => {
  const value = JSON.stringify(note)
  return db
    .insertInto('setting')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
