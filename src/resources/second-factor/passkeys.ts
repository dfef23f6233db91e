import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Config } from '../../config/config.ts'
import { type Db, refuseDuplicate, type Tx, transact } from '../../core/storage/database.ts'
import { ApiError, invalid } from '../../errors.ts'
import { recordAct } from '../accounts/audit.ts'
import type { Session } from '../accounts/sessions.ts'
import { transportOf } from '../accounts/transport.ts'
import { addFactor, removeFactor } from './factors.ts'
import { ensureRecoveryCodes } from './recovery-codes.ts'
import { MAX_PASSKEYS, type NewPasskey, type PasskeyUse } from './schema.ts'
import { verifyWith } from './verify.ts'
import { ACCEPTED_ALGORITHMS, checkAssertion, newChallenge, readNewPasskey } from './webauthn.ts'

const CHALLENGE_MINUTES = 5

/** Where the passkey is used, as the browser sees it. Its name is that of the host: an address of numbers has none. */
const relyingParty = (request: FastifyRequest, config: Config) => {
  const { origin } = transportOf(request, config)
  const { hostname: rpId } = new URL(origin)
  if (/^[\d.]+$|^\[/.test(rpId))
    throw new ApiError(
      'forbidden',
      'Passkeys need a host name in the address, such as localhost: browsers refuse numbers.',
    )
  return { origin, rpId }
}

const startCeremony = async (db: Db, { id }: Session) => {
  const challenge = newChallenge()
  const challenge_until = sql<string>`now() + ${CHALLENGE_MINUTES} * interval '1 minute'`
  await db.updateTable('session').set({ challenge, challenge_until }).where('id', '=', id).execute()
  return challenge
}

/** The challenge of the session, which is over with this. */
const takeChallenge = (db: Db, { id }: Session) =>
  transact(db, async (db) => {
    const row = await db
      .selectFrom('session')
      .select('challenge')
      .where('id', '=', id)
      .where('challenge_until', '>', sql<Date>`now()`)
      .forUpdate()
      .executeTakeFirst()
    await db.updateTable('session').set({ challenge: null, challenge_until: null }).where('id', '=', id).execute()
    return row?.challenge ?? undefined
  })

const wrongPasskey = (cause?: unknown) =>
  new ApiError('validation_failed', 'The passkey was not accepted. Try again.', {
    fields: { passkey: ['was not accepted'] },
    cause,
  })

/** Undefined for what cannot be read or was not asked for. */
const attempt = <T>(work: () => T) => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const credentialsOf = async (db: Db, account_id: string) => {
  const rows = await db
    .selectFrom('passkey')
    .select(['credential_id', 'transports'])
    .where('account_id', '=', account_id)
    .orderBy('id')
    .execute()
  return rows.map(({ credential_id, transports }) => ({ id: credential_id, type: 'public-key', transports }))
}

const refuseTooMany = (existing: readonly unknown[]) => {
  if (existing.length >= MAX_PASSKEYS) throw invalid({ passkey: [`would be more than ${MAX_PASSKEYS}`] })
}

/** What the browser needs to make a passkey. */
export const beginPasskey = async (db: Db, config: Config, request: FastifyRequest, issuer: string) => {
  const { session } = request
  const { account } = session
  const { rpId } = relyingParty(request, config)
  const existing = await credentialsOf(db, account.id)
  refuseTooMany(existing)
  return {
    challenge: await startCeremony(db, session),
    rp: { id: rpId, name: issuer },
    user: {
      id: Buffer.from(account.id.replaceAll('-', ''), 'hex').toString('base64url'),
      name: account.email,
      displayName: account.name || account.email,
    },
    pubKeyCredParams: ACCEPTED_ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: existing,
  }
}

/** Stores the passkey that the browser has made. Returns recovery codes if there were none. */
export const addPasskey = async (
  db: Db,
  config: Config,
  request: FastifyRequest,
  { name, credential }: Static<typeof NewPasskey>,
) => {
  const { session } = request
  const { account } = session
  const party = relyingParty(request, config)
  const challenge = await takeChallenge(db, session)
  const made = challenge ? attempt(() => readNewPasskey(credential, { ...party, challenge })) : undefined
  if (!made) throw wrongPasskey()
  return addFactor(db, session, async (db) => {
    // Another session may have begun one as well.
    refuseTooMany(await credentialsOf(db, account.id))
    await db
      .insertInto('passkey')
      .values({
        account_id: account.id,
        ...made,
        transports: credential.transports ?? [],
        name: name.trim() || 'Passkey',
      })
      .execute()
      .catch(refuseDuplicate(() => wrongPasskey()))
    await recordAct(db, account, { act: 'add_passkey', subject: account.email, after: { name } })
    return ensureRecoveryCodes(db, account.id)
  })
}

export const removePasskey = (db: Db, session: Session, id: string) =>
  removeFactor(db, session, async (db) => {
    const { account } = session
    const removed = await db
      .deleteFrom('passkey')
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst()
    if (removed) await recordAct(db, account, { act: 'remove_passkey', subject: account.email, before: removed })
    return removed !== undefined
  })

/** What the browser needs to use a passkey of this person. */
export const askForPasskey = async (db: Db, config: Config, request: FastifyRequest) => {
  const { session } = request
  const { rpId } = relyingParty(request, config)
  const allowCredentials = await credentialsOf(db, session.account.id)
  return { challenge: await startCeremony(db, session), rpId, allowCredentials }
}

/** Checks what the passkey has signed. Its row is locked, so that its counter rises with one use after another. */
export const verifyPasskey = async (
  db: Db,
  config: Config,
  request: FastifyRequest,
  given: Static<typeof PasskeyUse>['credential'],
) => {
  const { session } = request
  const party = relyingParty(request, config)
  const challenge = await takeChallenge(db, session)
  const check = async (db: Tx) => {
    const passkey = await db
      .selectFrom('passkey')
      .select(['id', 'public_key', 'algorithm', 'counter'])
      .where('account_id', '=', session.account.id)
      .where('credential_id', '=', given.id)
      .forUpdate()
      .executeTakeFirst()
    if (!passkey || !challenge) return undefined
    const counter = attempt(() => checkAssertion(given, passkey, { ...party, challenge }))
    if (counter === undefined) return undefined
    await db.updateTable('passkey').set({ counter, used_at: sql`now()` }).where('id', '=', passkey.id).execute()
    return 'passkey' as const
  }
  return verifyWith(db, session, check, wrongPasskey)
}
