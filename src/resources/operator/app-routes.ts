import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { data, errors } from '../../core/input/schemas.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import { ApiError, invalid, notFound, OperatorError } from '../../errors.ts'
import type { ACTS } from '../accounts/acts.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { holdOperator } from '../accounts/sessions.ts'
import { publicOrigin } from '../accounts/transport.ts'
import type { Lifecycle } from '../apps/lifecycle.ts'
import { MAX_MANIFEST_BYTES, parseManifest } from '../apps/manifest.ts'
import { findLifecycleGeneration, setListing } from '../apps/queries.ts'
import { refreshApp } from '../apps/refresh-app.ts'
import { registerApp } from '../apps/register-app.ts'
import { iconAddress } from '../apps/shown-app.ts'
import { disableApp } from '../auth/disable-app.ts'
import { enableApp } from '../auth/queries.ts'
import { rotateSecret } from '../auth/rotate-secret.ts'
import type { Webhooks } from '../webhooks/start.ts'
import { AppChange, AppId, AppSecrets, MAX_APPS, NewApp, OperatorApp, Refresh } from './app-schema.ts'

const reading = { config: { access: 'operator', subject: 'app' } } as const
const writing = { config: { access: 'operator', subject: 'app', confirmed: true } } as const

const KEPT_SECRET_SECONDS = 24 * 3600

export interface OperatorAppServices {
  config: Config
  db: Db
  webhooks: Webhooks
  lifecycle: Lifecycle
}

const apps = (db: Db) =>
  db
    .selectFrom('app as a')
    .leftJoin('app_manifest as m', 'm.app_id', 'a.id')
    .select(['a.id', 'a.client_id', 'a.name', 'a.is_public', 'm.source_url', 'm.checked_at', 'm.fault', 'm.listing'])
    .select(sql<boolean>`a.disabled_at is not null`.as('disabled'))
    .select(sql<boolean>`m.app_id is not null`.as('has_manifest'))
    .select(sql<string | null>`m.manifest->>'developer'`.as('developer'))
    .select(sql<string | null>`left(md5(m.icon), 8)`.as('icon_hash'))
    .select(sql<number>`(select count(*)::int from installation i where i.app_id = a.id)`.as('stores'))
    .where('a.built_in', '=', false)

type Row = Awaited<ReturnType<ReturnType<typeof apps>['executeTakeFirstOrThrow']>>

const show = (origin: string) => (app: Row) => ({
  id: app.id,
  client_id: app.client_id,
  name: app.name,
  developer: app.developer ?? '',
  icon: iconAddress(origin, app),
  state: app.disabled ? ('disabled' as const) : (app.listing ?? ('unregistered' as const)),
  is_listed: app.listing === 'listed',
  has_manifest: app.has_manifest,
  source_url: app.source_url,
  checked_at: app.checked_at?.toISOString() ?? null,
  fault: app.fault,
  stores: app.stores,
})

const requireApp = async (db: Db, id: string) => {
  const app = await apps(db).where('a.id', '=', id).executeTakeFirst()
  if (!app) throw notFound('app')
  return app
}

/** What the command line explains in a sentence belongs to the field of the form. */
const explained = async <T>(field: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw error instanceof OperatorError ? invalid({ [field]: [error.message] }) : error
  })

/** Registers apps and decides who finds them: the same operations as the command `app`. */
export const operatorAppRoutes = (app: Api, { config, db, webhooks, lifecycle }: OperatorAppServices) => {
  const secretOf = async (clientId: string) => webhooks.secrets.show(await findLifecycleGeneration(db, clientId))
  const record = (
    db: Db,
    actor: Actor,
    act: (typeof ACTS)[number],
    { id, name }: { id: string; name: string },
    after?: object,
  ) => recordAct(db, actor, { act, subject: name, app_id: id, after })

  app.get(
    '/operator/apps',
    {
      ...reading,
      schema: { response: { 200: data({ apps: Type.Array(OperatorApp, { maxItems: MAX_APPS }) }), ...errors } },
    },
    async (request) => {
      const rows = await apps(db).orderBy('a.name').orderBy('a.id').limit(MAX_APPS).execute()
      return { data: { apps: rows.map(show(publicOrigin(request, config))) } }
    },
  )

  app.post(
    '/operator/apps',
    {
      ...writing,
      // A character of a manifest may take six bytes in JSON.
      bodyLimit: 6 * MAX_MANIFEST_BYTES,
      schema: { body: NewApp, response: { 200: data({ secrets: AppSecrets }), ...errors } },
    },
    async ({ body, session }) => {
      const { url, manifest, listing } = body
      if ((url === undefined) === (manifest === undefined))
        throw invalid({ manifest: ['is required, as an address or as a file'] })
      const source = url === undefined ? { content: parseManifest(manifest as string) } : { url }
      // Its address may have taken seconds to answer.
      const created = await registerApp(db, webhooks.egress, source, listing, async (db, app) =>
        record(db, await holdOperator(db, session), 'register_app', app, { listing, source_url: url ?? null }),
      )
      const { client_id, client_secret } = created
      return { data: { secrets: { client_id, client_secret, lifecycle_secret: await secretOf(client_id) } } }
    },
  )

  app.put(
    '/operator/apps/:app',
    {
      ...writing,
      bodyLimit: 16 * 1024,
      schema: { params: AppId, body: AppChange, response: { 200: data({ app: OperatorApp }), ...errors } },
    },
    async (request) => {
      const { params, body, session } = request
      await transact(db, async (db) => {
        const { id, client_id, name, has_manifest } = await requireApp(db, params.app)
        if (body.listing !== undefined) {
          if (!has_manifest) throw invalid({ listing: ['is of apps with a manifest'] })
          await setListing(db, client_id, body.listing)
        }
        if (body.disabled === true) await disableApp(db, client_id)
        if (body.disabled === false) await enableApp(db, client_id)
        await record(db, session.account, 'update_app', { id, name }, body)
      })
      lifecycle.wake()
      return { data: { app: show(publicOrigin(request, config))(await requireApp(db, params.app)) } }
    },
  )

  app.post(
    '/operator/apps/:app/refresh',
    {
      ...writing,
      bodyLimit: 6 * MAX_MANIFEST_BYTES,
      schema: { params: AppId, body: Refresh, response: { 200: data({ app: OperatorApp }), ...errors } },
    },
    async (request) => {
      const { params, body, session } = request
      const { client_id, has_manifest } = await requireApp(db, params.app)
      if (!has_manifest) throw invalid({ manifest: ['is missing: this app was created without one'] })
      const content = body.manifest === undefined ? undefined : parseManifest(body.manifest)
      await explained(
        'manifest',
        refreshApp(db, webhooks.egress, client_id, content, (db, app) =>
          record(db, session.account, 'refresh_app', app),
        ),
      )
      lifecycle.wake()
      return { data: { app: show(publicOrigin(request, config))(await requireApp(db, params.app)) } }
    },
  )

  app.post(
    '/operator/apps/:app/secret',
    {
      ...writing,
      bodyLimit: 1024,
      schema: { params: AppId, response: { 200: data({ secrets: AppSecrets }), ...errors } },
    },
    async ({ params, session }) => {
      const { id, client_id, name, has_manifest, is_public } = await requireApp(db, params.app)
      if (is_public) throw new ApiError('forbidden', 'An app that is known by its address has no secret.')
      const { client_secret } = await transact(db, async (db) => {
        await record(db, session.account, 'rotate_secret', { id, name })
        return rotateSecret(db, client_id, { revokeTokens: false, keepOldSeconds: KEPT_SECRET_SECONDS })
      })
      const lifecycle_secret = has_manifest ? await secretOf(client_id) : null
      return { data: { secrets: { client_id, client_secret, lifecycle_secret } } }
    },
  )
}
