import { type Db, type Tx, transact } from '../core/storage/database.ts'
import type { StoreId } from '../core/storage/store-id.ts'
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

/** The entry of a command whose change has no act of its own: it names the command. */
export const commandEntry = (command: string, after: object, store_id?: StoreId): Entry => ({
  act: 'run_command',
  subject: command,
  store_id,
  after,
})

/** Records a change that the command has made in transactions of its own. */
export const recordCommand = (db: Db, command: string, after: object, store_id?: StoreId) =>
  recordAct(db, COMMAND_LINE, commandEntry(command, after, store_id))

/** Changes something of a store, with an entry that names the command and has its result. */
export const recordedInStore = <T extends object | undefined>(
  db: Db,
  command: string,
  store: StoreId,
  work: (db: Tx) => Promise<T>,
) => recorded(db, work, (after) => commandEntry(command, after ?? {}, store))
