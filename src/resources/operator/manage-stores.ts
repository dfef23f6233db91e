import { sql } from 'kysely'
import type { Blobs } from '../../core/storage/blobs/blobs.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { OperatorError } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { createStore } from '../stores/create-store.ts'
import { findStore, STORE_COLUMNS } from '../stores/queries.ts'
import { deleteStore } from '../stores/remove-store.ts'
import type { NewStore, StoreChanges } from '../stores/store-fields.ts'
import { updateStore } from '../stores/update-store.ts'

/** With the id of an earlier attempt, that attempt's store. */
export const addStore = async (db: Db, actor: Actor, store: NewStore) => {
  try {
    return await createStore(db, store, (db, { id, name }) =>
      recordAct(db, actor, { act: 'create_store', subject: name, store_id: id }),
    )
  } catch (error) {
    const made =
      store.id &&
      (await db
        .selectFrom('store')
        .select(STORE_COLUMNS)
        .where('id', '=', store.id as StoreId)
        .executeTakeFirst())
    if (!made) throw error
    return made
  }
}

export const changeStore = async (db: Db, actor: Actor, id: string, changes: StoreChanges) => {
  const after = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return updateStore(db, id, changes, async (db, store_id) => {
    const names = Object.keys(after) as (keyof StoreChanges)[]
    const before = await db
      .selectFrom('store')
      .select('name')
      .select(names)
      .where('id', '=', store_id)
      .executeTakeFirst()
    await recordAct(db, actor, { act: 'update_store', subject: before?.name ?? '', store_id, before, after })
  })
}

/** Every node refuses the store's tokens from now on, or takes them again. */
const announce = (db: Db) => sql`select pg_notify('access_changed', 'store')`.execute(db)

const setSuspended = (db: Db, actor: Actor, id: string, suspended: boolean) =>
  transact(db, async (db) => {
    const store = await findStore(db, id)
    const changed = await db
      .updateTable('store')
      .set({ suspended_at: suspended ? new Date() : null })
      .where('id', '=', store.id)
      .where('suspended_at', suspended ? 'is' : 'is not', null)
      .returning([...STORE_COLUMNS, 'suspended_at'])
      .executeTakeFirst()
    if (changed) {
      await recordAct(db, actor, {
        act: suspended ? 'suspend_store' : 'resume_store',
        subject: changed.name,
        store_id: store.id,
      })
      await announce(db)
      return changed
    }
    return { ...store, suspended_at: await suspendedAt(db, store.id) }
  })

const suspendedAt = async (db: Db, id: StoreId) =>
  (await db.selectFrom('store').select('suspended_at').where('id', '=', id).executeTakeFirst())?.suspended_at ?? null

/** Refuses every token of the store. Its people see it in the console and change nothing. Twice is the same as once. */
export const suspendStore = (db: Db, actor: Actor, id: string) => setSuspended(db, actor, id, true)

export const resumeStore = (db: Db, actor: Actor, id: string) => setSuspended(db, actor, id, false)

/** Deletes a store with all its data and files. */
export const removeStore = (db: Db, blobs: Blobs, actor: Actor, id: string) =>
  transact(db, async (db) => {
    const store = await findStore(db, id)
    if ((await deleteStore(db, blobs, store.id)) === undefined) throw new OperatorError(`There is no store ${id}.`)
    const { name, domain, currency } = store
    await recordAct(db, actor, {
      act: 'remove_store',
      subject: name,
      store_id: store.id,
      before: { name, domain, currency },
    })
  })
