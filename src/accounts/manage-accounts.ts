import { sql } from 'kysely'
import { OperatorError } from '../errors.ts'
import { emailKey, isEmail } from '../input/email.ts'
import { isPermission, PERMISSIONS } from '../permissions/catalogue.ts'
import { type Db, errorCode, type Tx, transact } from '../storage/database.ts'
import { requireStore } from '../stores/manage-stores.ts'
import { type Actor, recordAct } from './audit.ts'
import { createLink, newCode } from './one-time-links.ts'
import { endOtherSessions } from './sessions.ts'

export const ROLES = ['operator', 'owner', 'staff', 'developer'] as const
export type Role = (typeof ROLES)[number]

/** A role: operator of everything, owner or staff of a store, or developer of an app. */
export interface Grant {
  role: Role
  /** Id of the store, for owners and staff. */
  store?: string | undefined
  /** Client id of the app, for developers. */
  app?: string | undefined
  /** Of staff; `all` means every permission. */
  permissions?: readonly string[]
  /** Replaces the existing permissions instead of adding to them. */
  exact?: boolean
}

const readPermissions = (names: readonly string[]): string[] => {
  const unknown = names.filter((name) => name !== 'all' && !isPermission(name))
  if (unknown.length > 0)
    throw new OperatorError(`No such permission: ${unknown.join(', ')}. GET /permission lists them all.`)
  return names.includes('all') ? [...PERMISSIONS] : [...new Set(names)]
}

const findAccount = (db: Db, email: string) =>
  db
    .selectFrom('account')
    .select(['id', 'email', 'name', 'is_operator', 'password', 'disabled_at'])
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()

const requireAccount = async (db: Db, email: string) => {
  const account = await findAccount(db, email)
  if (!account) throw new OperatorError(`There is no account with the email ${email}.`)
  return account
}

const requireApp = async (db: Db, clientId: string) => {
  const app = await db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', clientId)
    .where('built_in', '=', false)
    .executeTakeFirst()
  if (!app) throw new OperatorError(`There is no app with the client_id ${clientId}.`)
  return app.id
}

const checkGrant = ({ role, store, app, permissions }: Grant) => {
  const needsStore = role === 'owner' || role === 'staff'
  if (needsStore && !store) throw new OperatorError(`The role ${role} needs --store.`)
  if (role === 'developer' && !app) throw new OperatorError('The role developer needs --app.')
  if (!needsStore && store) throw new OperatorError(`The role ${role} takes no --store.`)
  if (role !== 'developer' && app) throw new OperatorError(`The role ${role} takes no --app.`)
  if (role !== 'staff' && permissions?.length) throw new OperatorError('Only staff has permissions of its own.')
}

/** Locks the rows, so that two concurrent commands cannot remove the last two. */
const requireAnotherOperator = async (db: Tx, account: string) => {
  const { rows } = await sql<{ id: string }>`
    select id from account where is_operator and disabled_at is null order by id for update`.execute(db)
  if (rows.length > 0 && rows.every(({ id }) => id === account))
    throw new OperatorError('This is the last operator: make another one first.')
}

const requireAnotherOwner = async (db: Tx, store: string, account: string) => {
  const { rows } = await sql<{ id: string }>`
    select a.id from membership m join account a on a.id = m.account_id
    where m.store_id = ${store} and m.role = 'owner' and a.disabled_at is null order by a.id for update`.execute(db)
  if (rows.length > 0 && rows.every(({ id }) => id === account))
    throw new OperatorError(`This is the last owner of the store ${store}: make another one first.`)
}

const findMembership = (db: Tx, store_id: string, account_id: string) =>
  db
    .selectFrom('membership')
    .select(['role', 'permissions'])
    .where('store_id', '=', store_id)
    .where('account_id', '=', account_id)
    .executeTakeFirst()

const setMembership = async (db: Tx, store_id: string, account_id: string, grant: Grant) => {
  const { role, permissions = [], exact = false } = grant
  const before = await findMembership(db, store_id, account_id)
  if (before?.role === 'owner' && role !== 'owner') await requireAnotherOwner(db, store_id, account_id)
  const added = readPermissions(permissions)
  const all = role === 'staff' ? [...new Set([...(exact ? [] : (before?.permissions ?? [])), ...added])].sort() : []
  if (role === 'staff' && all.length === 0)
    throw new OperatorError('Staff needs permissions: --grant order:view, or --grant all.')
  await db
    .insertInto('membership')
    .values({ store_id, account_id, role, permissions: all })
    .onConflict((conflict) => conflict.columns(['store_id', 'account_id']).doUpdateSet({ role, permissions: all }))
    .execute()
  return { before, after: { role, permissions: all } }
}

const applyGrant = async (db: Tx, actor: Actor, account: { id: string; email: string }, grant: Grant) => {
  checkGrant(grant)
  const { role } = grant
  const store_id = grant.store ? await requireStore(db, grant.store) : undefined
  const app_id = grant.app ? await requireApp(db, grant.app) : undefined
  let change: { before?: object | undefined; after?: object } = { after: { role } }
  if (store_id) change = await setMembership(db, store_id, account.id, grant)
  else if (app_id)
    await db
      .insertInto('app_member')
      .values({ app_id, account_id: account.id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  else await db.updateTable('account').set({ is_operator: true }).where('id', '=', account.id).execute()
  await recordAct(db, actor, { act: 'grant', subject: account.email, store_id, app_id, ...change })
}

const insertAccount = async (db: Tx, actor: Actor, person: { email: string; name: string }, grant: Grant) => {
  const email = person.email.trim()
  if (!isEmail(email)) throw new OperatorError(`${person.email} is not an email address.`)
  const account = await db
    .insertInto('account')
    .values({ email, email_key: emailKey(email), name: person.name })
    .returning(['id', 'email', 'name'])
    .executeTakeFirstOrThrow()
    .catch((error) => {
      throw errorCode(error) === '23505'
        ? new OperatorError(
            `${email} already has an account. Use user grant for another role, or user link for a new link.`,
          )
        : error
    })
  await recordAct(db, actor, { act: 'create_account', subject: account.email })
  await applyGrant(db, actor, account, grant)
  return { account, code: await createLink(db, account.id, 'invite') }
}

/** Creates an account without a password, and the code of a link to set one. */
export const createAccount = (db: Db, actor: Actor, person: { email: string; name: string }, grant: Grant) =>
  transact(db, (db) => insertAccount(db, actor, person, grant))

/**
 * Adds a person to a store. Does not reveal whether the email already has an account: if it does, the returned code is
 * invalid, and the person signs in as usual. A valid code would let the inviter set somebody else's password.
 */
export const inviteMember = (db: Db, actor: Actor, person: { email: string; name: string }, grant: Grant) =>
  transact(db, async (db) => {
    const known = await findAccount(db, person.email)
    if (!known) return insertAccount(db, actor, person, grant)
    await applyGrant(db, actor, known, grant)
    return { account: known, code: newCode() }
  })

export const listAccounts = (db: Db) =>
  db
    .selectFrom('account as a')
    .select(['a.email', 'a.name', 'a.is_operator', 'a.last_seen_at', 'a.disabled_at', 'a.created_at'])
    .select((eb) => eb('a.password', 'is not', null).as('has_password'))
    .select(
      sql<{ store_id: string; role: string }[]>`coalesce((select json_agg(json_build_object('store_id', m.store_id,
        'role', m.role) order by m.store_id) from membership m where m.account_id = a.id), '[]')`.as('stores'),
    )
    .orderBy('a.created_at')
    .execute()

/** A new link for a person who lost the password, or whose first link has expired. Sessions stay valid until it is used. */
export const linkAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    if (account.disabled_at) throw new OperatorError(`${account.email} is disabled. Run user enable first.`)
    await recordAct(db, actor, { act: 'create_link', subject: account.email })
    return createLink(db, account.id, account.password ? 'reset' : 'invite')
  })

export const grantRole = (db: Db, actor: Actor, email: string, grant: Grant) =>
  transact(db, async (db) => applyGrant(db, actor, await requireAccount(db, email), grant))

const removeMembership = async (db: Tx, store_id: string, account_id: string, names: readonly string[]) => {
  const before = await findMembership(db, store_id, account_id)
  if (!before) throw new OperatorError(`This account has no role in the store ${store_id}.`)
  const removed = readPermissions(names)
  if (before.role === 'staff' && removed.length > 0) {
    const permissions = before.permissions.filter((name) => !removed.includes(name))
    await db
      .updateTable('membership')
      .set({ permissions })
      .where('store_id', '=', store_id)
      .where('account_id', '=', account_id)
      .execute()
    return { before, after: { role: 'staff', permissions } }
  }
  if (before.role === 'owner') await requireAnotherOwner(db, store_id, account_id)
  await db.deleteFrom('membership').where('store_id', '=', store_id).where('account_id', '=', account_id).execute()
  return { before }
}

/** Removes a role, or only these permissions of staff. */
export const revokeRole = (db: Db, actor: Actor, email: string, grant: Grant) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    checkGrant(grant)
    const store_id = grant.store ? await requireStore(db, grant.store) : undefined
    const app_id = grant.app ? await requireApp(db, grant.app) : undefined
    let change: { before?: object; after?: object } = { before: { role: grant.role } }
    if (store_id) change = await removeMembership(db, store_id, account.id, grant.permissions ?? [])
    else if (app_id)
      await db.deleteFrom('app_member').where('app_id', '=', app_id).where('account_id', '=', account.id).execute()
    else {
      await requireAnotherOperator(db, account.id)
      await db.updateTable('account').set({ is_operator: false }).where('id', '=', account.id).execute()
    }
    await recordAct(db, actor, { act: 'revoke', subject: account.email, store_id, app_id, ...change })
  })

/** Revokes the sessions, links and tokens of the account. Its roles are kept. */
export const disableAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    if (account.is_operator) await requireAnotherOperator(db, account.id)
    const owned = await db
      .selectFrom('membership')
      .select('store_id')
      .where('account_id', '=', account.id)
      .where('role', '=', 'owner')
      .orderBy('store_id')
      .execute()
    for (const { store_id } of owned) await requireAnotherOwner(db, store_id, account.id)
    await db
      .updateTable('account')
      .set({ disabled_at: sql`coalesce(disabled_at, now())` })
      .where('id', '=', account.id)
      .execute()
    await endOtherSessions(db, account.id)
    await db.deleteFrom('one_time_link').where('account_id', '=', account.id).execute()
    await recordAct(db, actor, { act: 'disable_account', subject: account.email })
  })

export const enableAccount = (db: Db, actor: Actor, email: string) =>
  transact(db, async (db) => {
    const account = await requireAccount(db, email)
    await db.updateTable('account').set({ disabled_at: null }).where('id', '=', account.id).execute()
    await recordAct(db, actor, { act: 'enable_account', subject: account.email })
  })
