import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { errors, IdParams, Text } from '../../core/input/schemas.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { requireInstaller } from '../accounts/installers.ts'
import { findStore } from '../accounts/queries.ts'
import { Done } from '../accounts/schema.ts'
import type { SessionAccount } from '../accounts/sessions.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import type { EventKinds } from '../events/kinds.ts'
import {
  issueAppToken,
  listDeveloperApps,
  listInstallations,
  readAsked,
  requireDeveloper,
  requireOperator,
} from './developers.ts'
import { askForPermissions, decideRequest, listRequests } from './permission-requests.ts'
import { describeUse, listRevoked, restoreRevoked, revokeUnused } from './permission-use.ts'
import { countCalls, countLost, findCalls, groupErrors, listCalls, listRetries } from './queries.ts'
import {
  AppReply,
  CallList,
  CallParams,
  CallQuery,
  CallReply,
  Counts,
  DaysQuery,
  DeveloperApps,
  Errors,
  HoursQuery,
  InstallationParams,
  PermissionDecided,
  PermissionDecision,
  PermissionQuestion,
  PermissionRequests,
  RequestParams,
  RestoreReply,
  Retries,
  Revocation,
  RevocationReply,
  TokenReply,
  TokenRequest,
  Undo,
  UseReply,
} from './schema.ts'
import type {} from './tables.ts'

const SMALL_BODY = 256 * 1024

export interface CallRouteServices {
  config: Config
  db: Db
  tokens: AccessTokens
  eventKinds: EventKinds
  demoStore: () => Promise<string | undefined>
}

/** Whoever may change what apps may do in the store sees what they do. */
const requireReader = async (db: Db, account: SessionAccount, id: string) => {
  const store = await findStore(db, account, id)
  if (!store) throw notFound('store')
  if (store.role === 'staff' && !store.permissions.includes('app:install'))
    throw new ApiError('forbidden', 'This needs the permission app:install.')
  return store
}

const reading = { config: { access: 'account', subject: 'app' } } as const
const writing = { config: { access: 'account', subject: 'app' }, bodyLimit: SMALL_BODY } as const

/** A developer undoes their own acts, an operator everybody's. */
const undoneBy = ({ id, is_operator }: SessionAccount) => (is_operator ? {} : { by: id })

/** What apps call, for operators and for developers of the app. */
export const callRoutes = (app: Api, services: CallRouteServices) => {
  const { db, config, tokens, eventKinds, demoStore } = services
  const days = config.CALL_LOG_DAYS
  app.addHook('onSend', async (_request, reply) => void reply.header('Cache-Control', 'no-store'))

  app.get(
    '/developer/apps',
    {
      ...reading,
      schema: {
        querystring: Type.Object({ search: Type.Optional(Text(100)) }),
        response: { 200: DeveloperApps, ...errors },
      },
    },
    async ({ session: { account }, query }) => ({ data: { apps: await listDeveloperApps(db, account, query.search) } }),
  )

  app.get(
    '/developer/apps/:id',
    { ...reading, schema: { params: IdParams, response: { 200: AppReply, ...errors } } },
    async ({ session: { account }, params }) => {
      const { generation: _, is_public: _public, ...app } = await requireDeveloper(db, account, params.id)
      const found = await listInstallations(db, app.id, await demoStore())
      const installations = found.map((installation) => ({
        ...installation,
        event_kinds: eventKinds.visibleTypes(undefined, new Set(installation.permissions)).kinds,
      }))
      const asks = await readAsked(db, app.id)
      return {
        data: { app: { ...app, asks }, installations, event_types: eventKinds.patterns.filter((type) => type !== '*') },
      }
    },
  )

  app.post(
    '/apps/:id/token',
    { ...writing, schema: { params: IdParams, body: TokenRequest, response: { 200: TokenReply, ...errors } } },
    async ({ session: { account }, params, body }) => ({
      data: await issueAppToken(db, tokens, account, params.id, body.installation_id),
    }),
  )

  app.get(
    '/calls',
    { ...reading, schema: { querystring: CallQuery, response: { 200: CallList, ...errors } } },
    async ({ session: { account }, query }) => {
      requireOperator(account)
      return { data: { ...(await listCalls(db, {}, query)), lost: await countLost(db), days } }
    },
  )

  app.get(
    '/calls/:request',
    { ...reading, schema: { params: RequestParams, response: { 200: CallReply, ...errors } } },
    async ({ session: { account }, params }) => {
      requireOperator(account)
      return { data: { calls: await findCalls(db, {}, params.request) } }
    },
  )

  app.get(
    '/apps/:id/calls',
    { ...reading, schema: { params: IdParams, querystring: CallQuery, response: { 200: CallList, ...errors } } },
    async ({ session: { account }, params, query }) => {
      await requireDeveloper(db, account, params.id)
      return { data: { ...(await listCalls(db, { app: params.id }, query)), lost: await countLost(db), days } }
    },
  )

  app.get(
    '/apps/:id/calls/:request',
    { ...reading, schema: { params: CallParams, response: { 200: CallReply, ...errors } } },
    async ({ session: { account }, params }) => {
      await requireDeveloper(db, account, params.id)
      return { data: { calls: await findCalls(db, { app: params.id }, params.request) } }
    },
  )

  app.get(
    '/apps/:id/counts',
    { ...reading, schema: { params: IdParams, querystring: HoursQuery, response: { 200: Counts, ...errors } } },
    async ({ session: { account }, params, query }) => {
      await requireDeveloper(db, account, params.id)
      return { data: await countCalls(db, { app: params.id }, query.hours) }
    },
  )

  app.get(
    '/apps/:id/errors',
    { ...reading, schema: { params: IdParams, querystring: HoursQuery, response: { 200: Errors, ...errors } } },
    async ({ session: { account }, params, query }) => {
      await requireDeveloper(db, account, params.id)
      return { data: { errors: await groupErrors(db, { app: params.id }, query.hours) } }
    },
  )

  app.get(
    '/apps/:id/retries',
    { ...reading, schema: { params: IdParams, response: { 200: Retries, ...errors } } },
    async ({ session: { account }, params }) => {
      await requireDeveloper(db, account, params.id)
      return { data: { retries: await listRetries(db, { app: params.id }) } }
    },
  )

  app.get(
    '/apps/:id/permissions',
    { ...reading, schema: { params: IdParams, querystring: DaysQuery, response: { 200: UseReply, ...errors } } },
    async ({ session: { account }, params, query }) => {
      await requireDeveloper(db, account, params.id)
      const scope = { app: params.id, ...undoneBy(account) }
      const installations = await describeUse(db, eventKinds, scope, query.days)
      return { data: { is_counted: days > 0, installations, revoked: await listRevoked(db, scope) } }
    },
  )

  app.post(
    '/apps/:id/permissions/ask',
    { ...writing, schema: { params: IdParams, body: PermissionQuestion, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params, body }) => {
      await requireDeveloper(db, account, params.id)
      await askForPermissions(db, account, params.id, body)
      return { data: {} }
    },
  )

  app.post(
    '/apps/:id/permissions/revoke',
    { ...writing, schema: { params: IdParams, body: Revocation, response: { 200: RevocationReply, ...errors } } },
    async ({ session: { account }, params, body }) => {
      await requireDeveloper(db, account, params.id)
      return { data: await revokeUnused(db, account, { app: params.id }, body.installations) }
    },
  )

  app.post(
    '/apps/:id/permissions/restore',
    { ...writing, schema: { params: IdParams, body: Undo, response: { 200: RestoreReply, ...errors } } },
    async ({ session: { account }, params, body }) => {
      await requireDeveloper(db, account, params.id)
      const scope = { app: params.id, ...undoneBy(account) }
      return { data: { restored: await restoreRevoked(db, account, scope, body.undo) } }
    },
  )

  app.get(
    '/stores/:id/installations/:installation/use',
    {
      config: { access: 'account', subject: 'store' },
      schema: { params: InstallationParams, querystring: DaysQuery, response: { 200: UseReply, ...errors } },
    },
    async ({ session: { account }, params, query }) => {
      const { id: store } = await requireReader(db, account, params.id)
      const scope = { store, installation: params.installation }
      const installations = await describeUse(db, eventKinds, scope, query.days)
      if (installations.length === 0) throw notFound('installation')
      return { data: { is_counted: days > 0, installations, revoked: await listRevoked(db, scope) } }
    },
  )

  app.get(
    '/stores/:id/permissions/asked',
    {
      config: { access: 'account', subject: 'store' },
      schema: { params: IdParams, response: { 200: PermissionRequests, ...errors } },
    },
    async ({ session: { account }, params }) => {
      const { id: store } = await requireReader(db, account, params.id)
      return { data: { requests: await listRequests(db, store) } }
    },
  )

  app.post(
    '/stores/:id/permissions/asked/:installation',
    {
      config: { access: 'account', subject: 'store', confirmed: true },
      bodyLimit: SMALL_BODY,
      schema: {
        params: InstallationParams,
        body: PermissionDecision,
        response: { 200: PermissionDecided, ...errors },
      },
    },
    async ({ session: { account }, params, body }) => ({
      data: await decideRequest(db, account, params.id, params.installation, body.permissions),
    }),
  )

  app.post(
    '/stores/:id/permissions/revoke',
    { ...writing, schema: { params: IdParams, body: Revocation, response: { 200: RevocationReply, ...errors } } },
    async ({ session: { account }, params, body }) => ({
      data: await transact(db, async (db) => {
        const { id: store } = await requireInstaller(db, account, params.id)
        return revokeUnused(db, account, { store }, body.installations)
      }),
    }),
  )

  app.post(
    '/stores/:id/permissions/restore',
    { ...writing, schema: { params: IdParams, body: Undo, response: { 200: RestoreReply, ...errors } } },
    async ({ session: { account }, params, body }) => ({
      data: await transact(db, async (db) => {
        const { id: store, held } = await requireInstaller(db, account, params.id)
        return { restored: await restoreRevoked(db, account, { store }, body.undo, held) }
      }),
    }),
  )
}
