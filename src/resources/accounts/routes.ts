import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Api } from '../../core/http/api.ts'
import { data, errors, IdParams } from '../../core/input/schemas.ts'
import { transact } from '../../core/storage/database.ts'
import { notFound } from '../../errors.ts'
import { recordAct } from './audit.ts'
import { operatorExists } from './one-time-links.ts'
import { PENDING } from './pending.ts'
import { findStore, listStores, updateAccount } from './queries.ts'
import { deleteView, listViews, saveView } from './saved-views.ts'
import {
  Confirmation,
  Done,
  LinkCheck,
  LinkReply,
  LinkUse,
  Me,
  MeChange,
  MeReply,
  NewView,
  PasswordChange,
  SessionRow,
  SignedIn,
  SignIn,
  State,
  StoreQuery,
  Stores,
  View,
  ViewQuery,
} from './schema.ts'
import {
  endOtherSessions,
  endSession,
  forgetCookie,
  hasSession,
  listSessions,
  type SessionAccount,
} from './sessions.ts'
import {
  type AccountServices,
  changePassword,
  confirm,
  describeLink,
  joinWithLink,
  redeemLink,
  signIn,
} from './sign-in.ts'
import { transportOf } from './transport.ts'

/** Passwords and codes are short, and unauthenticated callers may send no more. */
const SMALL_BODY = 16 * 1024
const open = { config: { access: 'open' as const }, bodyLimit: SMALL_BODY }
const account = { config: { access: 'account' as const }, bodyLimit: SMALL_BODY }
/** Also for sessions that wait for a second factor. */
const early = { config: { access: 'account' as const, pending: PENDING }, bodyLimit: SMALL_BODY }

const done = (reply: FastifyReply) => reply.header('Cache-Control', 'no-store').send({ data: {} })

const show = ({ id, email, name, is_operator, is_developer, language, theme }: Omit<SessionAccount, 'generation'>) => ({
  id,
  email,
  name,
  is_operator,
  is_developer,
  language,
  theme,
})

/** Sign-in, and the account of the signed-in person. */
export const accountRoutes = (
  app: Api,
  services: AccountServices & { demoStore: () => Promise<string | undefined> },
) => {
  const { db, config, demoStore } = services

  app.get('/state', { ...open, schema: { response: { 200: State, ...errors } } }, async (request, reply) => {
    const needs_operator = !(await operatorExists(db))
    reply.header('Cache-Control', 'no-store')
    const { isSafe } = transportOf(request, config)
    const signed_in = await hasSession(db, config, request)
    return { data: { needs_operator, signed_in, is_safe: isSafe, demo_store: (await demoStore()) ?? null } }
  })

  app.post(
    '/sign-in',
    { ...open, schema: { body: SignIn, response: { 200: SignedIn, ...errors } } },
    async ({ body }, reply) => {
      const pending = await signIn(services, reply, body)
      reply.header('Cache-Control', 'no-store')
      return { data: { pending } }
    },
  )

  app.post(
    '/link/check',
    { ...open, schema: { body: LinkCheck, response: { 200: LinkReply, ...errors } } },
    async ({ body }, reply) => {
      reply.header('Cache-Control', 'no-store')
      return { data: { link: await describeLink(services, body.code) } }
    },
  )

  app.post(
    '/link',
    { ...open, schema: { body: LinkUse, response: { 200: SignedIn, ...errors } } },
    async ({ body }, reply) => {
      const pending = await redeemLink(services, reply, body)
      reply.header('Cache-Control', 'no-store')
      return { data: { pending } }
    },
  )

  app.post(
    '/link/join',
    { ...account, schema: { body: LinkCheck, response: { 200: Done, ...errors } } },
    async ({ session, body }, reply) => {
      await joinWithLink(services, session, body.code)
      return done(reply)
    },
  )

  app.get('/me', { ...early, schema: { response: { 200: MeReply, ...errors } } }, async ({ session }, reply) => {
    reply.header('Cache-Control', 'no-store')
    const { account, pending = null } = session
    return { data: { account: show(account), stores: pending ? [] : await listStores(db, account), pending } }
  })

  app.put(
    '/me',
    { ...account, schema: { body: MeChange, response: { 200: data({ account: Me }), ...errors } } },
    async ({ session, body }) => ({
      data: { account: show({ ...session.account, ...(await updateAccount(db, session.account.id, body)) }) },
    }),
  )

  app.get(
    '/stores',
    { ...account, schema: { querystring: StoreQuery, response: { 200: data({ stores: Stores }), ...errors } } },
    async ({ session, query }, reply) => {
      reply.header('Cache-Control', 'no-store')
      return { data: { stores: await listStores(db, session.account, query.search) } }
    },
  )

  app.post('/sign-out', { ...early, schema: { response: { 200: Done, ...errors } } }, async ({ session }, reply) => {
    await transact(db, async (db) => {
      await endSession(db, session.account.id, session.id)
      await recordAct(db, session.account, { act: 'sign_out', subject: session.account.email })
    })
    forgetCookie(reply, config)
    return done(reply)
  })

  app.post(
    '/password',
    { ...account, schema: { body: PasswordChange, response: { 200: Done, ...errors } } },
    async ({ session, body }, reply) => {
      await changePassword(services, reply, session, body)
      return done(reply)
    },
  )

  app.post(
    '/confirm',
    {
      ...account,
      config: { access: 'account', pending: ['enrol'] },
      schema: { body: Confirmation, response: { 200: Done, ...errors } },
    },
    async ({ session, body }, reply) => {
      await confirm(services, reply, session, body.password)
      return done(reply)
    },
  )

  app.get(
    '/sessions',
    { ...account, schema: { response: { 200: data({ sessions: Type.Array(SessionRow) }), ...errors } } },
    async ({ session }, reply) => {
      reply.header('Cache-Control', 'no-store')
      return { data: { sessions: await listSessions(db, session.account.id, config.SESSION_HOURS, session.id) } }
    },
  )

  app.delete(
    '/sessions/:id',
    { ...account, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session, params }, reply) => {
      const ended = await transact(db, async (db) => {
        const existed = await endSession(db, session.account.id, params.id)
        if (existed) await recordAct(db, session.account, { act: 'end_session', subject: session.account.email })
        return existed
      })
      if (!ended) throw notFound('session')
      return done(reply)
    },
  )

  app.delete(
    '/sessions',
    {
      ...account,
      config: { access: 'account', confirmed: true },
      schema: { response: { 200: Done, ...errors } },
    },
    async ({ session }, reply) => {
      await transact(db, async (db) => {
        await endOtherSessions(db, session.account.id, session.id)
        await recordAct(db, session.account, { act: 'end_sessions', subject: session.account.email })
      })
      return done(reply)
    },
  )

  const Views = data({ views: Type.Array(View) })

  app.get(
    '/views',
    { ...account, schema: { querystring: ViewQuery, response: { 200: Views, ...errors } } },
    async ({ session, query }, reply) => {
      reply.header('Cache-Control', 'no-store')
      return { data: { views: await listViews(db, session.account.id, query) } }
    },
  )

  app.put(
    '/views',
    { ...account, schema: { body: NewView, response: { 200: data({ view: View }), ...errors } } },
    async ({ session, body }) => {
      if (!(await findStore(db, session.account, body.store_id))) throw notFound('store')
      return { data: { view: await saveView(db, session.account.id, body) } }
    },
  )

  app.delete(
    '/views/:id',
    { ...account, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session, params }, reply) => {
      if (!(await deleteView(db, session.account.id, params.id))) throw notFound('view')
      return done(reply)
    },
  )
}
