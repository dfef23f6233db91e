import type { Metrics } from '../../core/http/metrics.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { Outcome } from './egress.ts'

/** How many webhooks the metrics name at most: those furthest behind. */
const MAX_NAMED = 200

const readLags = (db: Db) =>
  runSql<{ webhook: string; behind: number }>(
    db,
    sqlText`select w.id as webhook, f.last - w.position as behind from webhook w join feed f on f.store_id = w.store_id
    where w.state = 'on' order by behind desc, w.id limit ${MAX_NAMED}`,
    [],
  )

const countPaused = async (db: Db) => {
  const [row] = await runSql<{ count: number }>(
    db,
    sqlText`select count(*) as count from webhook where state = 'paused' and reason <> 'requested'`,
    [],
  )
  return row?.count ?? 0
}

/** Returns a function that counts an attempt. */
export const measureWebhooks = ({ addGauge, addCounter }: Metrics, db: Db) => {
  addGauge({
    name: 'webhook_lag_events',
    help: `Events of the store that a webhook has not come to yet; the ${MAX_NAMED} that are behind furthest.`,
    aggregator: 'max',
    labels: ['webhook'],
    value: async () => (await readLags(db)).map(({ webhook, behind }) => [{ webhook }, behind] as const),
  })
  addGauge({
    name: 'webhooks_paused',
    help: 'Webhooks that were paused by the service or the operator.',
    aggregator: 'max',
    value: () => countPaused(db),
  })
  const attempts = addCounter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver an event, by outcome: delivered, or why it failed.',
    labels: ['outcome'],
  })
  return ({ fault }: Outcome) => attempts({ outcome: fault ?? 'delivered' })
}
