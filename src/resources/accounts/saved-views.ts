import type { Static } from 'typebox'
import { type Db, transact } from '../../core/storage/database.ts'
import { invalid, notFound } from '../../errors.ts'
import { refuseRemoved } from '../auth/refuse-removed.ts'
import { MAX_VIEWS, type NewView } from './schema.ts'

const shown = ['id', 'name', 'query'] as const

const ofPerson = (db: Db, account: string, store: string) =>
  db.selectFrom('saved_view').where('store_id', '=', store).where('account_id', '=', account)

export const listViews = (db: Db, account: string, { store_id, list }: { store_id: string; list: string }) =>
  ofPerson(db, account, store_id).where('list', '=', list).select(shown).orderBy('created_at').orderBy('id').execute()

/** A view of the same name is replaced. */
export const saveView = (db: Db, account: string, view: Static<typeof NewView>) =>
  transact(db, async (db) => {
    // Serialises the writers of one account, so that they cannot exceed the limit together.
    await db.selectFrom('account').select('id').where('id', '=', account).forNoKeyUpdate().execute()
    const views = await ofPerson(db, account, view.store_id).select(['list', 'name']).execute()
    if (views.length >= MAX_VIEWS && !views.some(({ list, name }) => list === view.list && name === view.name))
      throw invalid({ name: [`you have ${MAX_VIEWS} views in this store, which is the limit: delete one first`] })
    return db
      .insertInto('saved_view')
      .values({ account_id: account, ...view })
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'account_id', 'list', 'name']).doUpdateSet({ query: view.query }),
      )
      .returning(shown)
      .executeTakeFirstOrThrow()
      .catch(refuseRemoved(() => notFound('store')))
  })

/** Whether there was such a view. */
export const deleteView = async (db: Db, account: string, id: string) =>
  (await db.deleteFrom('saved_view').where('account_id', '=', account).where('id', '=', id).returning('id').execute())
    .length > 0
