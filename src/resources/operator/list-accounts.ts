import { sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { listInvitations } from '../accounts/invitations.ts'
import { heldPermissions } from '../auth/held-permissions.ts'
import { MAX_ROLES, PAGE_SIZE } from './schema.ts'

interface AccountFilters {
  search?: string | undefined
  state?: 'active' | 'disabled' | undefined
  role?: 'operator' | undefined
  cursor?: number | undefined
}

interface StoreRole {
  store_id: StoreId
  store: string
  role: 'owner' | 'staff'
  role_id: string | null
  permissions: string[]
}

interface AppRole {
  app_id: string
  client_id: string
  app: string
}

const selectAccounts = (db: Db) =>
  db
    .selectFrom('account as a')
    .select(['a.id', 'a.email', 'a.name', 'a.is_operator', 'a.disabled_at', 'a.last_seen_at', 'a.created_at'])
    .select(
      sql<StoreRole[]>`coalesce((select json_agg(r) from (select m.store_id, s.name as store, m.role,
        m.role_id, ${heldPermissions('m')} as permissions
        from membership m join store s on s.id = m.store_id where m.account_id = a.id
        order by s.name, s.id limit ${sql.lit(MAX_ROLES)}) r), '[]')`.as('stores'),
    )
    .select(
      sql<AppRole[]>`coalesce((select json_agg(r) from (select p.id as app_id, p.client_id, p.name as app
        from app_member m join app p on p.id = m.app_id where m.account_id = a.id
        order by p.name, p.id limit ${sql.lit(MAX_ROLES)}) r), '[]')`.as('apps'),
    )
    .select(sql<number>`(select count(*)::int from session s where s.account_id = a.id)`.as('sessions'))
    .select(
      sql<boolean>`exists (select 1 from authenticator f where f.account_id = a.id and f.salt is not null)
        or exists (select 1 from passkey f where f.account_id = a.id)`.as('has_second_factor'),
    )

type Row = Awaited<ReturnType<ReturnType<typeof selectAccounts>['execute']>>[number]

const show = ({ disabled_at, last_seen_at, created_at, ...account }: Row) => ({
  ...account,
  disabled_at: disabled_at?.toISOString() ?? null,
  last_seen_at: last_seen_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
})

/** A page of the accounts, by email. */
export const listAccounts = async (db: Db, { search, state, role, cursor = 0 }: AccountFilters) => {
  const matches = sql<boolean>`(${search ?? null}::text is null
      or position(lower(${search ?? ''}) in lower(concat_ws(' ', a.email, a.name))) > 0)
    and (${state ?? null}::text is null or (${state ?? null} = 'disabled') = (a.disabled_at is not null))
    and (${role ?? null}::text is null or a.is_operator)`
  const counted = await db
    .selectFrom('account as a')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow()
  const total = Number(counted.total)
  const rows = await selectAccounts(db).where(matches).orderBy('a.email_key').offset(cursor).limit(PAGE_SIZE).execute()
  const next = cursor + rows.length
  return { accounts: rows.map(show), pagination: { total, next_cursor: next < total ? String(next) : null } }
}

export const describeAccount = async (db: Db, id: string) => {
  const row = await selectAccounts(db).where('a.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('account')
  return show(row)
}

/** Who was invited to anything and has not joined, with the name of what it is for. */
export const listOpenInvitations = async (db: Db) => {
  const rows = await listInvitations(db)
    .leftJoin('store as s', 's.id', 'i.store_id')
    .leftJoin('app as a', 'a.id', 'i.app_id')
    .select((eb) => eb.fn.coalesce('s.name', 'a.name', eb.val('')).as('place'))
    .limit(MAX_ROLES)
    .execute()
  return rows.map(({ id, email, name, role, store_id, app_id, permissions, place, link_expires_at, created_at }) => ({
    ...{ id, email, name, role, store_id, app_id, permissions, place },
    link_expires_at: link_expires_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }))
}
