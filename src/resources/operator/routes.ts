import type { FastifyReply } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { errors, IdParams } from '../../core/input/schemas.ts'
import type { Kinds } from '../../core/reading/texts.ts'
import type { Blobs } from '../../core/storage/blobs/blobs.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import { checkService } from '../../doctor/check-service.ts'
import { invalid, notFound, OperatorError } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import { grantRole, revokeRole } from '../accounts/change-role.ts'
import { disableAccount, enableAccount } from '../accounts/disable-account.ts'
import { invite, withdrawIn } from '../accounts/invitations.ts'
import { linkAccount } from '../accounts/link-account.ts'
import { createLink, linkAddress } from '../accounts/one-time-links.ts'
import { endOtherSessions, endSession, listSessions } from '../accounts/sessions.ts'
import type { FileUrls } from '../files/file-urls.ts'
import { clearSecondFactor } from '../second-factor/factors.ts'
import { readRequirement, requireSecondFactor } from '../second-factor/requirement.ts'
import { findStore } from '../stores/queries.ts'
import { type OperatorAppServices, operatorAppRoutes } from './app-routes.ts'
import { listAudit } from './audit-log.ts'
import { operatorBillingRoutes } from './billing-routes.ts'
import { describeAccount, listAccounts, listOpenInvitations } from './list-accounts.ts'
import { describeStore, listStores } from './list-stores.ts'
import { addStore, changeStore, removeStore, resumeStore, suspendStore } from './manage-stores.ts'
import {
  AccountQuery,
  AccountReply,
  AccountsReply,
  AuditQuery,
  AuditReply,
  DoctorReply,
  Done,
  LinkMade,
  LinkOrDone,
  NewInvitation,
  NewRole,
  NewStore,
  Removal,
  Requirement,
  RequirementReply,
  RoleRemoval,
  SessionParams,
  SessionsReply,
  StoreChange,
  StoreQuery,
  StoreReply,
  StoresReply,
  SystemReply,
} from './schema.ts'
import { describeSystem } from './system.ts'

const SMALL_BODY = 16 * 1024
const reading = { config: { access: 'operator' } } as const
const writing = { config: { access: 'operator', confirmed: true }, bodyLimit: SMALL_BODY } as const
const examining = { config: { access: 'operator' }, bodyLimit: SMALL_BODY } as const

export interface OperatorServices extends OperatorAppServices {
  config: Config
  db: Db
  blobs: Blobs
  kinds: Kinds<FileUrls>
}

const FIELDS = /--(name|domain|currency)\b/

/** An operator's error is about a field of the form: the one whose option it names, or else this one. */
const inForm = (field: string) => (error: unknown) => {
  if (!(error instanceof OperatorError)) throw error
  const named = FIELDS.exec(error.message)?.[1] ?? (/domain/.test(error.message) ? 'domain' : field)
  throw invalid({ [named]: [error.message.replace(/^--\w+ /, '')] })
}

const done = (reply: FastifyReply) => reply.header('Cache-Control', 'no-store').send({ data: {} })

const noStore = (_request: unknown, reply: FastifyReply, next: () => void) => {
  reply.header('Cache-Control', 'no-store')
  next()
}

/** Stores: the same operations as the command `store`. */
const storeRoutes = (app: Api, { config, db, blobs }: OperatorServices) => {
  const stores = { db, isCounting: config.CALL_LOG_DAYS > 0 }
  const requireStore = (id: string) =>
    findStore(db, id).catch(() => {
      throw notFound('store')
    })

  app.get(
    '/operator/stores',
    { ...reading, schema: { querystring: StoreQuery, response: { 200: StoresReply, ...errors } } },
    async ({ query }) => ({ data: await listStores(stores, query) }),
  )

  app.post(
    '/operator/stores',
    { ...writing, schema: { body: NewStore, response: { 200: StoreReply, ...errors } } },
    async ({ session: { account }, body }) => {
      const { id } = await addStore(db, account, body).catch(inForm('name'))
      return { data: await describeStore(stores, id) }
    },
  )

  app.get(
    '/operator/stores/:id',
    {
      config: { access: 'operator', subject: 'store' },
      schema: { params: IdParams, response: { 200: StoreReply, ...errors } },
    },
    async ({ params }) => ({ data: await describeStore(stores, params.id) }),
  )

  app.put(
    '/operator/stores/:id',
    { ...writing, schema: { params: IdParams, body: StoreChange, response: { 200: StoreReply, ...errors } } },
    async ({ session: { account }, params, body }) => {
      await requireStore(params.id)
      if (Object.keys(body).length > 0) await changeStore(db, account, params.id, body).catch(inForm('name'))
      return { data: await describeStore(stores, params.id) }
    },
  )

  for (const [verb, act] of [
    ['suspend', suspendStore],
    ['resume', resumeStore],
  ] as const)
    app.post(
      `/operator/stores/:id/${verb}`,
      { ...writing, schema: { params: IdParams, response: { 200: StoreReply, ...errors } } },
      async ({ session: { account }, params }) => {
        const { id } = await requireStore(params.id)
        await act(db, account, id)
        return { data: await describeStore(stores, id) }
      },
    )

  app.post(
    '/operator/stores/:id/removal',
    { ...writing, schema: { params: IdParams, body: Removal, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params, body }, reply) => {
      const store = await requireStore(params.id)
      if (body.name.trim() !== store.name.trim()) throw invalid({ name: ['must be the name of the store'] })
      await removeStore(db, blobs, account, store.id)
      return done(reply)
    },
  )
}

/** Accounts and invitations: the same operations as the command `user`. */
const accountRoutes = (app: Api, { db, config }: OperatorServices) => {
  const emailOf = async (id: string) => (await describeAccount(db, id)).email

  app.get(
    '/operator/accounts',
    { ...reading, schema: { querystring: AccountQuery, response: { 200: AccountsReply, ...errors } } },
    async ({ query }) => {
      const found = await listAccounts(db, query)
      return { data: { ...found, invitations: query.cursor ? [] : await listOpenInvitations(db) } }
    },
  )

  app.get(
    '/operator/accounts/:id',
    { ...reading, schema: { params: IdParams, response: { 200: AccountReply, ...errors } } },
    async ({ params }) => ({ data: { account: await describeAccount(db, params.id) } }),
  )

  for (const [verb, act] of [
    ['disable', disableAccount],
    ['enable', enableAccount],
  ] as const)
    app.post(
      `/operator/accounts/:id/${verb}`,
      { ...writing, schema: { params: IdParams, response: { 200: AccountReply, ...errors } } },
      async ({ session: { account }, params }) => {
        await act(db, account, await emailOf(params.id)).catch(inForm('account'))
        return { data: { account: await describeAccount(db, params.id) } }
      },
    )

  app.post(
    '/operator/accounts/:id/link',
    { ...writing, schema: { params: IdParams, response: { 200: LinkMade, ...errors } } },
    async ({ session: { account }, params }) => {
      const code = await linkAccount(db, account, await emailOf(params.id)).catch(inForm('account'))
      return { data: { link: linkAddress(config, code) } }
    },
  )

  app.delete(
    '/operator/accounts/:id/sessions',
    { ...writing, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session, params }, reply) => {
      const subject = await emailOf(params.id)
      await transact(db, async (db) => {
        const own = params.id === session.account.id ? session.id : undefined
        await endOtherSessions(db, params.id, own)
        await recordAct(db, session.account, { act: 'end_sessions', subject })
      })
      return done(reply)
    },
  )

  app.get(
    '/operator/accounts/:id/sessions',
    { ...reading, schema: { params: IdParams, response: { 200: SessionsReply, ...errors } } },
    async ({ session, params }) => {
      await emailOf(params.id)
      return { data: { sessions: await listSessions(db, params.id, config.SESSION_HOURS, session.id) } }
    },
  )

  app.delete(
    '/operator/accounts/:id/sessions/:session',
    { ...writing, schema: { params: SessionParams, response: { 200: Done, ...errors } } },
    async ({ session, params }, reply) => {
      const subject = await emailOf(params.id)
      await transact(db, async (db) => {
        if (!(await endSession(db, params.id, params.session))) throw notFound('session')
        await recordAct(db, session.account, { act: 'end_session', subject })
      })
      return done(reply)
    },
  )

  app.delete(
    '/operator/accounts/:id/second-factor',
    { ...writing, schema: { params: IdParams, response: { 200: AccountReply, ...errors } } },
    async ({ session: { account }, params }) => {
      await clearSecondFactor(db, account, { id: params.id, email: await emailOf(params.id) })
      return { data: { account: await describeAccount(db, params.id) } }
    },
  )

  app.post(
    '/operator/accounts/:id/roles',
    { ...writing, schema: { params: IdParams, body: NewRole, response: { 200: LinkOrDone, ...errors } } },
    async ({ session: { account }, params, body: { store_id, role_id, ...given } }) => {
      const grant = { ...given, store: store_id, role_id: role_id ?? undefined, exact: true }
      const code = await grantRole(db, account, await emailOf(params.id), grant).catch(inForm('role'))
      return { data: { link: code ? linkAddress(config, code) : null } }
    },
  )

  app.post(
    '/operator/accounts/:id/roles/removal',
    { ...writing, schema: { params: IdParams, body: RoleRemoval, response: { 200: AccountReply, ...errors } } },
    async ({ session: { account }, params, body: { role, store_id, app } }) => {
      await revokeRole(db, account, await emailOf(params.id), { role, store: store_id, app }).catch(inForm('role'))
      return { data: { account: await describeAccount(db, params.id) } }
    },
  )

  app.post(
    '/operator/invitations',
    { ...writing, schema: { body: NewInvitation, response: { 200: LinkMade, ...errors } } },
    async ({ session: { account }, body: { email, name = '', store_id, role_id, ...given } }) => {
      const grant = { ...given, store: store_id, role_id: role_id ?? undefined, exact: true }
      const { code } = await invite(db, account, { email, name }, grant).catch(inForm('email'))
      return { data: { link: linkAddress(config, code) } }
    },
  )
  invitationRoutes(app, { db, config })
}

const invitationRoutes = (app: Api, { db, config }: Pick<OperatorServices, 'db' | 'config'>) => {
  /** Locks the link first, as a redemption does. */
  const lock = async (db: Parameters<Parameters<typeof transact>[1]>[0], id: string) => {
    await db.selectFrom('one_time_link').select('id').where('invitation_id', '=', id).forUpdate().execute()
    const found = await db
      .selectFrom('invitation')
      .select(['id', 'email', 'store_id', 'app_id'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!found) throw notFound('invitation')
    return found
  }

  app.post(
    '/operator/invitations/:id/link',
    { ...writing, schema: { params: IdParams, response: { 200: LinkMade, ...errors } } },
    async ({ session: { account }, params }) => {
      const code = await transact(db, async (db) => {
        const { id, email, store_id, app_id } = await lock(db, params.id)
        await db.updateTable('invitation').set({ invited_by: account.id }).where('id', '=', id).execute()
        const place = { store_id: store_id ?? undefined, app_id: app_id ?? undefined }
        await recordAct(db, account, { act: 'create_link', subject: email, ...place })
        return createLink(db, { invitation_id: id })
      })
      return { data: { link: linkAddress(config, code) } }
    },
  )

  app.delete(
    '/operator/invitations/:id',
    { ...writing, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session: { account }, params }, reply) => {
      await transact(db, async (db) => withdrawIn(db, account, await lock(db, params.id)))
      return done(reply)
    },
  )
}

/** Who must have a second factor: the same operation as the command `console second-factor`. */
const requirementRoutes = (app: Api, { db }: OperatorServices) => {
  app.get(
    '/operator/second-factor',
    { ...reading, schema: { response: { 200: RequirementReply, ...errors } } },
    async () => ({ data: { second_factor: await readRequirement(db) } }),
  )

  app.put(
    '/operator/second-factor',
    { ...writing, schema: { body: Requirement, response: { 200: RequirementReply, ...errors } } },
    async ({ session: { account }, body: { second_factor } }) => {
      if (second_factor !== 'nobody' && !(await describeAccount(db, account.id)).has_second_factor)
        throw invalid({ second_factor: ['needs one of your own first'] })
      await requireSecondFactor(db, account, second_factor)
      return { data: { second_factor } }
    },
  )
}

const auditRoutes = (app: Api, { db }: OperatorServices) => {
  app.get(
    '/operator/audit',
    { ...reading, schema: { querystring: AuditQuery, response: { 200: AuditReply, ...errors } } },
    async ({ query }) => ({ data: await listAudit(db, query) }),
  )
}

const systemRoutes = (app: Api, { db, config, kinds }: OperatorServices) => {
  let checking: ReturnType<typeof checkService> | undefined

  app.get('/operator/system', { ...reading, schema: { response: { 200: SystemReply, ...errors } } }, async () => ({
    data: await describeSystem(db, config),
  }))

  // It writes a file and removes it again.
  app.post('/operator/doctor', { ...examining, schema: { response: { 200: DoctorReply, ...errors } } }, async () => {
    // The checks take seconds. Who asks meanwhile gets the same.
    checking ??= checkService(db, config, kinds).finally(() => {
      checking = undefined
    })
    const findings = await checking
    return { data: { at: new Date().toISOString(), findings } }
  })
}

/** What only operators do, with the functions of the command line. */
export const operatorRoutes = async (app: Api, services: OperatorServices) => {
  await app.register(async (app) => {
    app.addHook('onRequest', noStore)
    storeRoutes(app, services)
    accountRoutes(app, services)
    requirementRoutes(app, services)
    auditRoutes(app, services)
    systemRoutes(app, services)
    operatorAppRoutes(app, services)
    operatorBillingRoutes(app, services)
  })
}
