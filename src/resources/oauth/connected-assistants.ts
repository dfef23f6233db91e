import { sql } from 'kysely'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { heldPermissions } from '../auth/held-permissions.ts'

/** At most this many are shown. */
const MAX_SHOWN = 200

interface Scope {
  /** Those of one person. */
  account?: string | undefined
  /** Those of everybody in one store. */
  store?: StoreId | undefined
  id?: string | undefined
}

const select = (db: Db, { account, store, id }: Scope) =>
  db
    .selectFrom('connected_assistant as c')
    .innerJoin('installation as i', 'i.id', 'c.installation_id')
    .innerJoin('app as p', 'p.id', 'i.app_id')
    .innerJoin('store as s', 's.id', 'i.store_id')
    .innerJoin('account as a', 'a.id', 'c.account_id')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.store_id', '=', 'i.store_id').onRef('m.account_id', '=', 'c.account_id'),
    )
    .$if(account !== undefined, (query) => query.where('c.account_id', '=', account as string))
    .$if(store !== undefined, (query) => query.where('i.store_id', '=', store as StoreId))
    .$if(id !== undefined, (query) => query.where('c.id', '=', id as string))

/** What each may do at the moment: what was ticked, and what the installation and the person may still do. */
export const listAssistants = async (db: Db, scope: Scope) => {
  const rows = await select(db, scope)
    .select(['c.id', 'c.permissions', 'c.connected_at', 'c.last_used_at', 'c.calls'])
    .select([
      'p.name',
      'p.client_id',
      'p.disabled_at',
      'i.permissions as installed',
      's.id as store_id',
      's.name as store',
    ])
    .select(['a.name as person_name', 'a.email', 'a.is_operator', 'a.disabled_at as account_disabled_at'])
    .select(['m.role', heldPermissions('m').as('held')])
    .orderBy(sql`c.last_used_at desc nulls last`)
    .orderBy('c.id')
    .limit(MAX_SHOWN)
    .execute()
  return rows.map((row) => {
    const { role, held, is_operator, installed } = row
    const mayAll = is_operator || role === 'owner'
    const isStopped = row.disabled_at !== null || row.account_disabled_at !== null
    const may = (name: string) => !isStopped && installed.includes(name) && (mayAll || (held ?? []).includes(name))
    return {
      id: row.id,
      name: row.name,
      client_id: row.client_id,
      store_id: row.store_id,
      store: row.store,
      person: row.person_name || row.email,
      permissions: row.permissions.filter(may),
      connected_at: row.connected_at.toISOString(),
      last_used_at: row.last_used_at?.toISOString() ?? null,
      calls: row.calls,
    }
  })
}

/** Ends what an assistant may do: its tokens, codes and streams, on every node. */
export const cutOffAssistant = (db: Db, actor: Actor, scope: Scope & { id: string }) =>
  transact(db, async (db) => {
    const found = await select(db, scope).select(['c.id', 'p.name', 'i.store_id', 'i.app_id']).executeTakeFirst()
    const gone =
      found &&
      (await db.deleteFrom('connected_assistant').where('id', '=', found.id).returning('id').executeTakeFirst())
    if (!gone) throw notFound('assistant')
    const { name, store_id, app_id } = found
    await recordAct(db, actor, { act: 'cut_off_assistant', subject: name, store_id, app_id })
  })

/** Notes that an assistant got a token. Calls are counted besides, while they are logged. */
export const recordConnection = (db: Tx, installation: string, account: string) =>
  db
    .updateTable('connected_assistant')
    .set({ last_used_at: sql`now()` })
    .where('installation_id', '=', installation)
    .where('account_id', '=', account)
    .execute()
