import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../../config/config.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { ApiError } from '../../errors.ts'
import { hashSecret } from '../auth/secrets.ts'

const FIRST_HOURS = 1
const INVITE_HOURS = 72
const RESET_HOURS = 24

/** For the first operator, for a password of an existing account, or for the role of an invitation. */
export type Link = { id: string } & (
  | { kind: 'first' }
  | { kind: 'reset'; account_id: string }
  | { kind: 'invite'; invitation_id: string }
)

/** Derives the code of the first link from the service's secret and a salt in the database. */
export type FirstCode = (salt: string) => string

export const createFirstCode =
  (master: string): FirstCode =>
  (salt) =>
    Buffer.from(hkdfSync('sha256', master, salt, 'storefront-apps console code', 32)).toString('base64url')

const newSalt = () => randomBytes(24).toString('base64url')

export const operatorExists = async (db: Db) =>
  (await db.selectFrom('account').select('id').where('is_operator', '=', true).limit(1).executeTakeFirst()) !==
  undefined

/** The code to create the first operator: the current one, or a new one if it has expired. Undefined if there is an operator. */
export const firstLinkCode = async (db: Db, code: FirstCode, { renew = false } = {}): Promise<string | undefined> => {
  if (await operatorExists(db)) return undefined
  const { rows } = await sql<{ salt: string }>`
    insert into one_time_link as l (kind, salt, expires_at)
    values ('first', ${newSalt()}, now() + ${FIRST_HOURS} * interval '1 hour')
    on conflict (kind) where kind = 'first' do update set
      salt = case when ${renew} or l.expires_at < now() then excluded.salt else l.salt end,
      expires_at = case when ${renew} or l.expires_at < now() then excluded.expires_at else l.expires_at end
    returning salt`.execute(db)
  return code((rows[0] as { salt: string }).salt)
}

/** The URL of a link. The code is in the fragment, so it appears in no log or Referer. */
export const linkAddress = ({ origin }: Pick<Config, 'origin'>, code: string) => `${origin}/console/welcome#${code}`

type Target = { account_id: string } | { invitation_id: string }

const isInvitation = (target: Target) => 'invitation_id' in target

export const deleteLinks = (db: Db, target: Target) =>
  db
    .deleteFrom('one_time_link')
    .where((eb) => eb.and(target))
    .execute()

/**
 * Deletes the links with which somebody who is no operator any more could still set the passwords of others. Who has made
 * them is in the audit log.
 */
export const deleteLinksOf = async (db: Tx, operator: string) => {
  const made = await db
    .selectFrom('audit_entry')
    .select('subject')
    .where('account_id', '=', operator)
    .where('act', '=', 'create_link')
    .where('store_id', 'is', null)
    .where('at', '>', sql<Date>`now() - ${RESET_HOURS} * interval '1 hour'`)
    .execute()
  if (made.length === 0) return
  const emails = made.map(({ subject }) => subject)
  await db
    .deleteFrom('one_time_link')
    .where('kind', '=', 'reset')
    .where('account_id', 'in', (eb) => eb.selectFrom('account').select('id').where('email', 'in', emails))
    .execute()
}

/** Creates a link to set the password of an account, or to accept an invitation. It replaces earlier ones. */
export const createLink = async (db: Tx, target: Target): Promise<string> => {
  const code = randomBytes(32).toString('base64url')
  const hours = isInvitation(target) ? INVITE_HOURS : RESET_HOURS
  await deleteLinks(db, target)
  await db
    .insertInto('one_time_link')
    .values({
      kind: isInvitation(target) ? 'invite' : 'reset',
      code_hash: hashSecret(code),
      ...target,
      expires_at: sql<string>`now() + ${hours} * interval '1 hour'`,
    })
    .execute()
  return code
}

const isFirst = (code: string, expected: string) => timingSafeEqual(hashSecret(code), hashSecret(expected))

export const unusable = () => new ApiError('not_found', 'This link was used before or has expired. Ask for a new one.')

/** Judged after the link was locked: its inviter may have been removed meanwhile. */
const isAllowed = async (db: Tx, link: Link) => {
  if (link.kind === 'first') return !(await operatorExists(db))
  if (link.kind === 'reset') return true
  const { rows } = await sql`select 1 from invitation i where i.id = ${link.invitation_id} and (i.invited_by is null
    or exists (select 1 from account a where a.id = i.invited_by and a.disabled_at is null and (a.is_operator
      or exists (select 1 from membership m where m.account_id = a.id and m.store_id = i.store_id
        and m.role = 'owner'))))`.execute(db)
  return rows.length > 0
}

/**
 * The link with this code, locked against a second use. Once there is an operator, the first link is invalid. So is an
 * invitation by somebody who may no longer invite: an owner who was removed cannot come back with a link.
 */
export const findLink = async (db: Tx, code: string, firstCode: FirstCode): Promise<Link> => {
  const { rows } = await sql<Link & { salt: string | null }>`
    select l.id, l.kind, l.account_id, l.invitation_id, l.salt from one_time_link l
    where (l.code_hash = ${hashSecret(code)} or l.kind = 'first') and l.expires_at > now()
    for update of l`.execute(db)
  const link = rows.find(({ salt }) => salt === null || isFirst(code, firstCode(salt)))
  if (!link || !(await isAllowed(db, link))) throw unusable()
  return link
}

export const endLink = (db: Tx, { id }: Link) => db.deleteFrom('one_time_link').where('id', '=', id).execute()
