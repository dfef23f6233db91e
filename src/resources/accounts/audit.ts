import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { ACTS } from './acts.ts'

/** Who did it: a person; without an id, the operator at the command line, or an app with its name. */
export interface Actor {
  id: string | null
  name: string
}

export const COMMAND_LINE: Actor = { id: null, name: 'command line' }

interface Act {
  /** To find it again. */
  id?: string
  act: (typeof ACTS)[number]
  /** The email of the affected person, for example. */
  subject?: string
  store_id?: StoreId | undefined
  app_id?: string | undefined
  before?: object | undefined
  after?: object | undefined
}

/** Call this in the transaction of the change, so that both are committed or neither. */
export const recordAct = (db: Db, actor: Actor, { before, after, ...act }: Act) =>
  db
    .insertInto('audit_entry')
    .values({
      account_id: actor.id,
      actor: actor.name,
      ...act,
      ...(before && { before: JSON.stringify(before) }),
      ...(after && { after: JSON.stringify(after) }),
    })
    .execute()
