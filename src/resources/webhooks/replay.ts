import { earliest, latest } from '../../core/input/date-bounds.ts'
import { noteWork } from '../../core/jobs/store-work.ts'
import type { Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { feedId, findPositions } from '../events/feed.ts'
import { parseEventId } from '../events/feed-cursor.ts'
import type { EventKinds } from '../events/kinds.ts'
import { lockWebhook, type Owner } from './lock-webhook.ts'
import { MAX_REPLAYED, MAX_WAITING, type Replay } from './schema.ts'

const checkForm = ({ from, to, ids, failed }: Replay) => {
  const given = [from ?? to, ids, failed].filter((value) => value !== undefined && value !== false)
  if (given.length !== 1) throw invalid({ from: ['give a time range, ids, or failed: true'] })
}

const positionsOfIds = (ids: readonly string[], feed: string): number[] => {
  const places = ids.map(parseEventId)
  const wrong = places.flatMap((place, index) => (place?.feed === feed ? [] : [index]))
  if (wrong.length > 0)
    throw invalid(
      Object.fromEntries(wrong.map((index) => [`ids.${index}`, ['must be the id of an event of this store']])),
    )
  return places.map((place) => place?.position as number)
}

const failedPositions = async (db: Tx, store: StoreId, id: string) => {
  const rows = await runSql<{ position: number }>(
    db,
    sqlText`select d.position from webhook_delivery d join event e on e.store_id = $1 and e.position = d.position
    where d.store_id = $1 and d.webhook_id = $2 and d.state = 'failed' order by d.position limit $3`,
    [store, id, MAX_REPLAYED + 1],
  )
  return rows.map(({ position }) => position)
}

const INSERT = sqlText`insert into webhook_delivery as d (store_id, webhook_id, position, kind, action, resource_id, state, replay)
  select $1::uuid, $2::uuid, e.position, e.kind, e.action, e.resource_id, 'waiting', true
  from unnest($3::bigint[]) p (position) join event e on e.store_id = $1 and e.position = p.position
  on conflict (store_id, webhook_id, position) do update set state = 'waiting', replay = true, attempts = 0,
    first_at = null, due_at = null, done_at = null, status = null, error = null, ms = null
  where d.state <> 'waiting' returning 1`

/** Of the waiting events of a resource, only the first has a due time. */
const SET_FIRST_DUE = sqlText`update webhook_delivery d set due_at = case when w.is_first then coalesce(d.due_at, $3::timestamptz) end
  from (
    select position, row_number() over (partition by kind, resource_id order by position) = 1 as is_first
    from webhook_delivery where store_id = $1 and webhook_id = $2 and state = 'waiting'
  ) w
  where d.store_id = $1 and d.webhook_id = $2 and d.position = w.position and (d.due_at is not null) <> w.is_first`

const setFirstDue = async (db: Tx, store: StoreId, id: string) => {
  // The planner has no statistics of the rows just added, and would choose a nested loop that takes minutes.
  await runSql(db, sqlText`set local enable_nestloop = off`, [])
  await runSql(db, SET_FIRST_DUE, [store, id, new Date()])
  await runSql(db, sqlText`set local enable_nestloop = on`, [])
}

/** Queues events to be sent again. Returns how many. */
export const replayEvents = async (
  db: Tx,
  kinds: EventKinds,
  owner: Owner,
  id: string,
  replay: Replay,
  appId: string,
): Promise<number> => {
  checkForm(replay)
  const { store, installation, permissions } = owner
  // The delivering process writes under this lock, too.
  const webhook = await lockWebhook(db, owner, id)
  const { from, to, ids, failed } = replay
  const filter = {
    ...kinds.visibleTypes(webhook.types, permissions),
    changed: webhook.changed ?? undefined,
    without_app: webhook.ignore_self ? appId : undefined,
    installation,
    from: earliest(from),
    to: latest(to),
  }
  const wanted = ids
    ? positionsOfIds(ids, await feedId(db, store))
    : failed
      ? await failedPositions(db, store, id)
      : undefined
  // Later events are delivered anyway.
  const positions = await findPositions(db, store, filter, wanted, webhook.position, MAX_REPLAYED + 1)
  if (positions.length > MAX_REPLAYED)
    throw invalid({
      from: [`has more than ${MAX_REPLAYED} events: choose a shorter time, or resume from a cursor`],
    })
  const [waiting] = await runSql<{ count: number }>(
    db,
    sqlText`select count(*) as count from webhook_delivery where store_id = $1 and webhook_id = $2 and state = 'waiting'`,
    [store, id],
  )
  if ((waiting?.count ?? 0) + positions.length > MAX_WAITING)
    throw invalid({ from: [`cannot be replayed now: ${waiting?.count} deliveries are waiting already`] })
  const added = await runSql(db, INSERT, [store, id, positions])
  await setFirstDue(db, store, id)
  await noteWork(db, 'webhooks', [store])
  await runSql(db, sqlText`update webhook set due_at = now() where store_id = $1 and id = $2`, [store, id])
  return added.length
}
