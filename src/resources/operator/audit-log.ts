import { sql } from 'kysely'
import { earliest, latest } from '../../core/input/date-bounds.ts'
import type { Db } from '../../core/storage/database.ts'
import type { ACTS } from '../accounts/acts.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { PAGE_SIZE } from './schema.ts'

interface AuditFilters {
  search?: string | undefined
  act?: (typeof ACTS)[number] | undefined
  who?: 'people' | 'apps' | 'command_line' | undefined
  account_id?: string | undefined
  store_id?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}

const matching = (db: Db, { search, act, who, account_id, store_id, from, to }: AuditFilters) =>
  db
    .selectFrom('audit_entry as e')
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`position(lower(${search}) in lower(concat_ws(' ', e.actor, e.subject))) > 0`),
    )
    .$if(act !== undefined, (query) => query.where('e.act', '=', act as string))
    .$if(who !== undefined, (query) => query.where('e.account_id', who === 'people' ? 'is not' : 'is', null))
    .$if(who === 'apps', (query) => query.where('e.actor', '<>', COMMAND_LINE.name))
    .$if(who === 'command_line', (query) => query.where('e.actor', '=', COMMAND_LINE.name))
    .$if(account_id !== undefined, (query) => query.where('e.account_id', '=', account_id as string))
    .$if(store_id !== undefined, (query) => query.where('e.store_id', '=', store_id as string))
    .$if(from !== undefined, (query) => query.where('e.at', '>=', earliest(from) as Date))
    .$if(to !== undefined, (query) => query.where('e.at', '<=', latest(to) as Date))

/** A page of who did what, the newest first. Pages go on after the last row, so that new entries move nothing. */
export const listAudit = async (db: Db, filters: AuditFilters, limit = PAGE_SIZE) => {
  const rows = await matching(db, filters)
    .leftJoin('store as s', 's.id', 'e.store_id')
    .leftJoin('app as a', 'a.id', 'e.app_id')
    .leftJoin('account as p', 'p.id', 'e.account_id')
    .select(['e.id', 'e.at', 'e.account_id', 'e.actor', 'e.act', 'e.subject', 'e.store_id', 'e.app_id'])
    .select(['e.before', 'e.after', 's.name as store', 'a.name as app', 'p.email'])
    .$if(filters.cursor !== undefined, (query) =>
      query.where(
        sql<boolean>`(e.at, e.id) < (select c.at, c.id from audit_entry c where c.id = ${filters.cursor}::uuid)`,
      ),
    )
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc')
    .limit(limit + 1)
    .execute()
  const entries = rows.slice(0, limit).map(({ at, actor, email, before, after, ...entry }) => ({
    ...entry,
    at: at.toISOString(),
    actor: actor || email || '',
    before: before as unknown as object | null,
    after: after as unknown as object | null,
  }))
  return { entries, next_cursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null }
}
