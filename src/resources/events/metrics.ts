import type { Metrics } from '../../core/http/metrics.ts'
import type { Db } from '../../core/storage/database.ts'
import { oldestChangeSeconds } from './feed.ts'
import type { Hub } from './hub.ts'

export const measureEvents = ({ addGauge }: Metrics, db: Db, hub: Hub) => {
  addGauge({
    name: 'event_oldest_unnumbered_seconds',
    help: 'Age of the oldest change that has no position in its feed yet. Above a few minutes, numbering is stuck.',
    aggregator: 'max',
    value: () => oldestChangeSeconds(db),
  })
  addGauge({
    name: 'event_waiters',
    help: 'Open event streams and requests that wait for events.',
    aggregator: 'sum',
    value: hub.waiting,
  })
}
