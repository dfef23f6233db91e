import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { personOf, requirePermission } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { writeOnce } from '../../core/http/idempotency.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { data, errors } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { ApiError, forbidden, notFound } from '../../errors.ts'
import { type Actor, recordAct } from '../accounts/audit.ts'
import { publicOrigin } from '../accounts/transport.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import { changeInstallation } from '../auth/installation-changes.ts'
import { findStore } from '../stores/queries.ts'
import { installApp, uninstallApp } from './install-app.ts'
import type { Lifecycle } from './lifecycle.ts'
import { findAppOfStore, listAppsOfStore, listInstallationChanges } from './queries.ts'
import {
  AppList,
  ClientParams,
  InstallationList,
  InstallationQuery,
  Installed,
  NarrowedPermissions,
  NewInstallation,
  OwnReply,
  SessionReply,
} from './schema.ts'
import type { SessionTokens } from './session-tokens.ts'
import { pendingPermissions, showApp } from './shown-app.ts'

export interface AppServices {
  config: Config
  db: Db
  accessCache: AccessCache
  sessionTokens: SessionTokens
  lifecycle: Lifecycle
}

const APP_PERMISSIONS = ['app:install', 'app:uninstall', 'app:boot'] as const

/** Which apps a store uses is known to whoever may do something about it. */
const requireAnyOfApps = (request: FastifyRequest) => {
  const { installation } = request.caller
  requirePermission(request, APP_PERMISSIONS.find((name) => installation?.permissions.has(name)) ?? APP_PERMISSIONS[0])
}

const heldBy = ({ caller }: FastifyRequest): ReadonlySet<string> => caller.installation?.permissions ?? new Set()

/** For the audit log: a person of the store, in the console or through an assistant, or another app. */
const actorOf = ({ caller }: FastifyRequest): Actor => {
  const person = personOf(caller)
  return person ? { id: person.id, name: person.name } : { id: null, name: caller.app.name }
}

const refusePeople = ({ caller }: FastifyRequest, message: string) => {
  if (personOf(caller)) throw new ApiError('forbidden', message)
}

const ownInstallation = async (db: Db, request: FastifyRequest) => {
  const { app, installation } = request.caller
  if (!installation || app.built_in) throw notFound('installation')
  const { id, name, domain, currency } = await findStore(db, installation.store_id)
  const shown = await findAppOfStore(db, installation.store_id, app.client_id)
  const { permissions: own } = installation
  // An assistant has what its person has ticked, which is less than the store has granted it.
  const permissions = (shown?.permissions ?? []).filter((name) => !personOf(request.caller) || own.has(name))
  const pending = pendingPermissions(shown?.manifest?.permissions.required ?? [], permissions)
  const store = { id, name, domain, currency }
  return { install_id: installation.id, client_id: app.client_id, store, permissions, pending }
}

const readRoutes = (app: Api, { db, config }: AppServices) => {
  app.get(
    '/app',
    {
      config: { access: 'installation', sometimes: 'app:install', extension: true },
      schema: {
        operationId: 'listApps',
        summary: 'List the apps of the store',
        description:
          'Apps that are installed, and those that every store may install. Needs one of the permissions ' +
          '`app:install`, `app:uninstall` and `app:boot`.',
        response: { 200: AppList, ...errors },
      },
    },
    async (request, reply) => {
      requireAnyOfApps(request)
      const apps = await listAppsOfStore(db, request.store)
      const origin = publicOrigin(request, config)
      return sendJson(reply, JSON.stringify({ data: { apps: apps.map((app) => showApp(app, origin)) } }))
    },
  )

  app.get(
    '/app/self',
    {
      config: { access: 'installation', extension: true },
      schema: {
        operationId: 'getOwnInstallation',
        summary: 'Fetch the installation of the token',
        description: 'What the installation may do, what it is still waiting for, and the store.',
        response: { 200: OwnReply, ...errors },
      },
    },
    async (request, reply) =>
      sendJson(reply, JSON.stringify({ data: { installation: await ownInstallation(db, request) } })),
  )

  app.get(
    '/auth/installation',
    {
      config: { access: 'app', extension: true },
      schema: {
        operationId: 'listInstallations',
        summary: 'List the installations of the app',
        description:
          'Needs a full access token. Installations in the order of their last change; removed ones for 30 days. An app ' +
          'that passes on `next_cursor` misses nothing, even if it was not told of a change.',
        querystring: InstallationQuery,
        response: { 200: InstallationList, ...errors },
      },
    },
    async ({ caller, query }, reply) => {
      if (caller.boundTo) throw new ApiError('forbidden', 'This needs a full access token, without an installation.')
      const rows = await listInstallationChanges(db, caller.app.id, query.cursor, query.page_size + 1)
      const shown = rows.slice(0, query.page_size)
      const installations = shown.map(({ id, store_id, permissions, created_at, removed_at }) => ({
        install_id: id,
        store: store_id,
        permissions: permissions ?? [],
        created_at: created_at.toISOString(),
        removed_at: removed_at?.toISOString() ?? null,
      }))
      const last = shown.at(-1)
      const next_cursor = last ? last.change + 1 : query.cursor
      const has_more = rows.length > shown.length
      return sendJson(reply, JSON.stringify({ data: { installations, next_cursor, has_more } }))
    },
  )
}

const changeRoutes = (app: Api, { db, accessCache, lifecycle }: AppServices) => {
  const wake = async () => lifecycle.wake()
  /** Less is allowed here before the reply. The other nodes hear of it. */
  const forget = async () => {
    accessCache.clear()
    lifecycle.wake()
  }

  app.put(
    '/app/self',
    {
      config: { access: 'installation', extension: true },
      schema: {
        operationId: 'updateOwnInstallation',
        summary: 'Give up permissions',
        description: 'An app can only narrow what it may do. People of the store grant more, in the console.',
        body: NarrowedPermissions,
        response: { 200: OwnReply, ...errors },
      },
    },
    async (request, reply) => {
      const { app, installation } = request.caller
      refusePeople(request, 'Only an app gives up its own permissions, not what people have connected.')
      const gained = request.body.permissions.find((name) => !installation?.permissions.has(name))
      if (gained) throw forbidden(gained)
      return writeOnce(db, reply, { status: 200, key: 'installation', afterwards: forget }, async (db) => {
        const kept: readonly string[] = request.body.permissions
        let had: readonly string[] = []
        const left = await changeInstallation(db, app.id, installation?.id ?? '', (before) => {
          had = before
          return before.filter((name) => kept.includes(name))
        })
        if (left && left.length < had.length)
          await recordAct(db, actorOf(request), {
            act: 'change_permissions',
            subject: app.name,
            app_id: app.id,
            store_id: installation?.store_id,
            before: { permissions: had },
            after: { permissions: left },
          })
        return JSON.stringify(await ownInstallation(db, request))
      })
    },
  )

  app.post(
    '/app/:client_id/install',
    {
      config: { permission: 'app:install', extension: true, subject: 'app' },
      schema: {
        operationId: 'createInstallation',
        summary: 'Install an app',
        description:
          'An app can pass on only what it may do itself. 422 if the app is installed already: only people of the ' +
          'store change what an installed app may do.',
        params: ClientParams,
        body: NewInstallation,
        response: { 201: Installed, ...errors },
      },
    },
    async (request, reply) => {
      refusePeople(request, 'In the console, apps are installed on the page that shows what they ask for.')
      const { params, body, store, caller } = request
      return writeOnce(db, reply, { status: 201, key: 'installation', afterwards: wake }, async (db) => {
        const { app, ...installed } = await installApp(
          db,
          params.client_id,
          store,
          body.permissions ?? [],
          caller.installation?.id ?? '',
        )
        await recordAct(db, actorOf(request), {
          act: 'install_app',
          subject: app.name,
          app_id: app.id,
          store_id: store,
          after: { permissions: installed.permissions },
        })
        return JSON.stringify(installed)
      })
    },
  )

  app.delete(
    '/app/:client_id',
    {
      config: { permission: 'app:uninstall', extension: true, subject: 'app' },
      schema: {
        operationId: 'deleteInstallation',
        summary: 'Uninstall an app',
        description: 'Its tokens, streams and webhooks end at once.',
        params: ClientParams,
        response: { 200: data({}), ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, caller } = request
      // A stored reply would be deleted with the installation.
      if (params.client_id === caller.app.client_id) throw new ApiError('forbidden', 'An app cannot uninstall itself.')
      return writeOnce(db, reply, { status: 200, afterwards: forget }, async (db) => {
        const { id, name } = await uninstallApp(db, params.client_id, store)
        await recordAct(db, actorOf(request), { act: 'uninstall_app', subject: name, app_id: id, store_id: store })
        return ''
      })
    },
  )
}

const bootRoute = (app: Api, { db, config, sessionTokens }: AppServices) => {
  const preferencesOf = async (account: string | undefined) =>
    account === undefined
      ? undefined
      : db.selectFrom('account').select(['language', 'theme']).where('id', '=', account).executeTakeFirst()

  app.post(
    '/app/:client_id/boot',
    {
      config: { permission: 'app:boot', extension: true, subject: 'app' },
      schema: {
        operationId: 'createSession',
        summary: 'Open an app',
        description:
          'A session token (JWT, ES256) tells the app who opens it, for which store. Verify it with the keys at ' +
          '`/.well-known/jwks.json`.',
        params: ClientParams,
        response: { 201: SessionReply, ...errors },
      },
    },
    async (request, reply) => {
      const { params, store, caller } = request
      const found = await findAppOfStore(db, store, params.client_id)
      if (!found?.install_id || !found.manifest || found.disabled) throw notFound('app')
      const { install_id, manifest, permissions } = found
      const held = heldBy(request)
      const preferences = await preferencesOf(personOf(caller)?.id)
      const { token, expires_at } = await sessionTokens.sign({
        issuer: publicOrigin(request, config),
        audience: found.client_id,
        subject: personOf(caller)?.id ?? caller.app.client_id,
        install_id,
        store,
        locale: preferences?.language ?? null,
        theme: preferences?.theme ?? null,
        permissions: (permissions ?? []).filter((name) => held.has(name)),
      })
      const session = { url: manifest.embed_url ?? manifest.url, session_token: token, expires_at }
      return reply.code(201).header('Cache-Control', 'no-store').send({ data: { session } })
    },
  )
}

export const appRoutes = (app: Api, services: AppServices) => {
  readRoutes(app, services)
  changeRoutes(app, services)
  bootRoute(app, services)
}
