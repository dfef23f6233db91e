import { type Db, type Tx, transact } from '../core/storage/database.ts'
import { COMMAND_LINE, recordAct } from '../resources/accounts/audit.ts'

type Entry = Parameters<typeof recordAct>[2]

/** Changes something and writes who did it to the audit log: both or neither. */
export const recorded = <T>(
  db: Db,
  work: (db: Tx) => Promise<T>,
  entryOf: (result: T, db: Tx) => Entry | Promise<Entry>,
) =>
  transact(db, async (db) => {
    const result = await work(db)
    await recordAct(db, COMMAND_LINE, await entryOf(result, db))
    return result
  })
