import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { hashSecret } from '../auth/secrets.ts'
import type { Config } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import type { Db, Tx } from '../storage/database.ts'

const FIRST_HOURS = 1
const INVITE_HOURS = 72
const RESET_HOURS = 24

type LinkKind = 'first' | 'invite' | 'reset'

export interface Link {
  id: string
  kind: LinkKind
  account_id: string | null
}

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

export const newCode = () => randomBytes(32).toString('base64url')

/** The URL of a link. The code is in the fragment, so it appears in no log or Referer. */
export const linkAddress = ({ origin }: Pick<Config, 'origin'>, code: string) => `${origin}/console/welcome#${code}`

/** Creates a link for an account, replacing earlier ones. */
export const createLink = async (db: Db, account: string, kind: 'invite' | 'reset'): Promise<string> => {
  const code = newCode()
  const hours = kind === 'invite' ? INVITE_HOURS : RESET_HOURS
  await db.deleteFrom('one_time_link').where('account_id', '=', account).execute()
  await db
    .insertInto('one_time_link')
    .values({
      kind,
      code_hash: hashSecret(code),
      account_id: account,
      expires_at: sql<string>`now() + ${hours} * interval '1 hour'`,
    })
    .execute()
  return code
}

const isFirst = (code: string, expected: string) => timingSafeEqual(hashSecret(code), hashSecret(expected))

const unusable = () => new ApiError('not_found', 'This link was used before or has expired. Ask for a new one.')

/** The link with this code, locked against a second use. Once there is an operator, the first link is invalid. */
export const findLink = async (db: Tx, code: string, firstCode: FirstCode): Promise<Link> => {
  const { rows } = await sql<Link & { salt: string | null }>`
    select l.id, l.kind, l.account_id, l.salt from one_time_link l
    where (l.code_hash = ${hashSecret(code)} or l.kind = 'first') and l.expires_at > now()
    for update`.execute(db)
  const link = rows.find(({ salt }) => salt === null || isFirst(code, firstCode(salt)))
  if (!link || (link.kind === 'first' && (await operatorExists(db)))) throw unusable()
  return link
}

export const useLink = (db: Tx, { id }: Link) => db.deleteFrom('one_time_link').where('id', '=', id).execute()
