import type { FastifyReply } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { errors, IdParams } from '../../core/input/schemas.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import { recordAct } from '../accounts/audit.ts'
import { PENDING } from '../accounts/pending.ts'
import { Done } from '../accounts/schema.ts'
import { beginAuthenticator, confirmAuthenticator, removeAuthenticator } from './authenticator.ts'
import { describeFactors, lockFactors, requireFactor } from './factors.ts'
import { addPasskey, askForPasskey, beginPasskey, removePasskey, verifyPasskey } from './passkeys.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'
import {
  AuthenticatorSecret,
  CodeGiven,
  Factors,
  NewPasskey,
  PasskeyCreation,
  PasskeyRequest,
  PasskeyUse,
  RecoveryCodes,
} from './schema.ts'
import type { TotpSecret } from './totp.ts'
import { verifyCode } from './verify.ts'

const SMALL_BODY = 32 * 1024

/** What authenticator apps and browsers show beside the person's name. */
const issuerOf = ({ baseUrl }: Config) => `Storefront ${new URL(baseUrl).hostname}`

export interface SecondFactorServices {
  db: Db
  config: Config
  totpSecret: TotpSecret
}

/** The second factor of the signed-in person: set up, given, changed and removed. */
export const secondFactorRoutes = async (app: Api, services: SecondFactorServices) => {
  await app.register(async (app) => {
    app.addHook('onRequest', (_request, reply: FastifyReply, next) => {
      reply.header('Cache-Control', 'no-store')
      next()
    })
    givingRoutes(app, services)
    authenticatorRoutes(app, services)
    passkeyRoutes(app, services)
  })
}

/** For sessions that wait for it. */
const givingRoutes = (app: Api, { db, config, totpSecret }: SecondFactorServices) => {
  const waiting = { config: { access: 'account', pending: ['verify'] }, bodyLimit: SMALL_BODY } as const

  app.get(
    '/second-factor',
    { config: { access: 'account', pending: PENDING }, schema: { response: { 200: Factors, ...errors } } },
    async ({ session }) => ({ data: await describeFactors(db, session) }),
  )

  app.post(
    '/second-factor',
    { ...waiting, schema: { body: CodeGiven, response: { 200: Done, ...errors } } },
    async ({ session, body }) => {
      await verifyCode(db, totpSecret, session, body.code)
      return { data: {} }
    },
  )

  app.post(
    '/second-factor/challenge',
    { ...waiting, schema: { response: { 200: PasskeyRequest, ...errors } } },
    async (request) => ({ data: { options: await askForPasskey(db, config, request) } }),
  )

  app.post(
    '/second-factor/passkey',
    { ...waiting, schema: { body: PasskeyUse, response: { 200: Done, ...errors } } },
    async (request) => {
      await verifyPasskey(db, config, request, request.body.credential)
      return { data: {} }
    },
  )
}

/** Setting one up is for sessions that have given theirs, and for those that need a first one. */
const setUp = { config: { access: 'account', confirmed: true, pending: ['enrol'] }, bodyLimit: SMALL_BODY } as const
const change = { config: { access: 'account', confirmed: true }, bodyLimit: SMALL_BODY } as const

const authenticatorRoutes = (app: Api, { db, config, totpSecret }: SecondFactorServices) => {
  app.post(
    '/second-factor/authenticator',
    { ...setUp, schema: { response: { 200: AuthenticatorSecret, ...errors } } },
    async ({ session }) => ({ data: await beginAuthenticator(db, totpSecret, session, issuerOf(config)) }),
  )

  app.put(
    '/second-factor/authenticator',
    { ...setUp, schema: { body: CodeGiven, response: { 200: RecoveryCodes, ...errors } } },
    async ({ session, body }) => ({
      data: { recovery_codes: await confirmAuthenticator(db, totpSecret, session, body.code) },
    }),
  )

  app.delete(
    '/second-factor/authenticator',
    { ...change, schema: { response: { 200: Done, ...errors } } },
    async ({ session }) => {
      await removeAuthenticator(db, session)
      return { data: {} }
    },
  )

  app.post(
    '/second-factor/recovery-codes',
    { ...change, schema: { response: { 200: RecoveryCodes, ...errors } } },
    async ({ session }) => ({
      data: {
        recovery_codes: await transact(db, async (db) => {
          const { account } = session
          await lockFactors(db, session)
          await requireFactor(db, account.id)
          await recordAct(db, account, { act: 'renew_recovery_codes', subject: account.email })
          return renewRecoveryCodes(db, account.id)
        }),
      },
    }),
  )
}

const passkeyRoutes = (app: Api, { db, config }: SecondFactorServices) => {
  app.post(
    '/second-factor/passkeys/challenge',
    { ...setUp, schema: { response: { 200: PasskeyCreation, ...errors } } },
    async (request) => ({ data: { options: await beginPasskey(db, config, request, issuerOf(config)) } }),
  )

  app.post(
    '/second-factor/passkeys',
    { ...setUp, schema: { body: NewPasskey, response: { 200: RecoveryCodes, ...errors } } },
    async (request) => ({ data: { recovery_codes: await addPasskey(db, config, request, request.body) } }),
  )

  app.delete(
    '/second-factor/passkeys/:id',
    { ...change, schema: { params: IdParams, response: { 200: Done, ...errors } } },
    async ({ session, params }) => {
      await removePasskey(db, session, params.id)
      return { data: {} }
    },
  )
}
