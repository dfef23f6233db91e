import { sql } from 'kysely'
import { type Db, transact } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import type { SessionAccount } from '../accounts/sessions.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import type { Permission } from '../permissions/catalogue.ts'
import { MAX_INSTALLATIONS } from './schema.ts'

const TTL_SECONDS = 300

const selectApps = (db: Db, { id, is_operator }: SessionAccount) =>
  db
    .selectFrom('app as a')
    .select(['a.id', 'a.name', 'a.client_id', 'a.built_in', 'a.is_public', 'a.generation'])
    .select(sql<boolean>`a.disabled_at is not null`.as('is_disabled'))
    .$if(!is_operator, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('app_member as m')
            .select('m.app_id')
            .whereRef('m.app_id', '=', 'a.id')
            .where('m.account_id', '=', id),
        ),
      ),
    )

/** Another's app is reported as missing. */
export const requireDeveloper = async (db: Db, account: SessionAccount, app: string) => {
  const found = await selectApps(db, account).where('a.id', '=', app).executeTakeFirst()
  if (!found) throw notFound('app')
  return found
}

export const requireOperator = ({ is_operator }: SessionAccount) => {
  if (!is_operator) throw new ApiError('forbidden', 'Only an operator may do this.')
}

interface Asked {
  required: Permission[]
  optional: Permission[]
}

/** What its manifest asks for, if it has one. */
export const readAsked = async (db: Db, app: string): Promise<Asked | null> => {
  const row = await db.selectFrom('app_manifest').select('manifest').where('app_id', '=', app).executeTakeFirst()
  return row ? (row.manifest as { permissions: Asked }).permissions : null
}

/** The apps that a person develops; for an operator all. */
export const listDeveloperApps = async (db: Db, account: SessionAccount, search = '') => {
  const rows = await selectApps(db, account)
    .select(sql<number>`(select count(*) from installation i where i.app_id = a.id)::float8`.as('installations'))
    .$if(search !== '', (query) =>
      query.where(sql<boolean>`position(lower(${search}) in lower(concat_ws(' ', a.name, a.client_id))) > 0`),
    )
    .orderBy('a.built_in')
    .orderBy('a.name')
    .orderBy('a.id')
    .limit(MAX_INSTALLATIONS)
    .execute()
  return rows.map(({ generation: _, built_in: _built, is_public: _public, ...app }) => app)
}

export const listInstallations = (db: Db, app: string, demo: string | undefined) =>
  db
    .selectFrom('installation as i')
    .innerJoin('store as s', 's.id', 'i.store_id')
    .select(['i.id', 'i.store_id', 's.name as store', 'i.permissions'])
    .select(sql<boolean>`i.store_id::text is not distinct from ${demo ?? null}::text`.as('is_demo'))
    .where('i.app_id', '=', app)
    .orderBy('s.name')
    .orderBy('i.id')
    .limit(MAX_INSTALLATIONS)
    .execute()

/** A token of the app for one of its installations, as its secret would give, but short-lived and written to the audit log. */
export const issueAppToken = async (
  db: Db,
  tokens: AccessTokens,
  account: SessionAccount,
  appId: string,
  installation: string,
) => {
  const app = await requireDeveloper(db, account, appId)
  if (app.built_in) throw notFound('app')
  if (app.is_public) throw new ApiError('forbidden', 'Only the people who have connected it let this app in.')
  if (app.is_disabled) throw new ApiError('forbidden', 'The app is disabled.')
  const found = await db
    .selectFrom('installation')
    .select(['id', 'store_id'])
    .where('id', '=', installation)
    .where('app_id', '=', app.id)
    .executeTakeFirst()
  if (!found) throw notFound('installation')
  await transact(db, (db) =>
    recordAct(db, account, { act: 'app_token', subject: app.name, app_id: app.id, store_id: found.store_id }),
  )
  const expires = Date.now() / 1000 + TTL_SECONDS
  const token = tokens.sign({ appId: app.id, generation: app.generation, installId: found.id, expires })
  return { token, ttl: TTL_SECONDS }
}
