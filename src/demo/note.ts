import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../storage/advisory-locks.ts'
import type { Tx } from '../storage/database.ts'

const NAME = 'demo_store'

/** What is kept of the demo store in the table of settings. It outlives the store, so that it does not come back. */
export interface Note {
  install_id: string
  salt: string
  /** DEMO shut its app out; an operator's `app disable` leaves no such mark. */
  shut?: boolean
}

/** Any number of nodes may start at once: one decides, the others wait and find it done. */
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
