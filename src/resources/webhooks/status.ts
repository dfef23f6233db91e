import { type Sql, sqlText } from '../../core/storage/sql.ts'

const counted = (state: Sql) => sqlText`(select count(*) from webhook_delivery d
  where d.store_id = w.store_id and d.webhook_id = w.id and d.state = '${state}') as ${state}`

/** How far behind a webhook is. For a statement over `webhook w` with `left join feed f`. */
export const STATUS_COLUMNS = sqlText`greatest(0, coalesce(f.last, 0) - w.position) as behind,
  ${counted(sqlText`waiting`)}, ${counted(sqlText`failed`)}`
