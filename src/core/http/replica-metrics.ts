import type { Replicas } from '../storage/replicas.ts'
import type { Metrics } from './metrics.ts'

export const createReadCounter = ({ addCounter }: Metrics) => {
  const count = addCounter({
    name: 'database_reads_total',
    help: 'Lists, exports, snapshots and analytics, by where they were read: primary or replica.',
    labels: ['target'],
  })
  return (target: 'primary' | 'replica') => count({ target })
}

export const measureLag = ({ addGauge }: Metrics, { lags }: Replicas) =>
  addGauge({
    name: 'database_replica_lag_seconds',
    help: 'How far each standby of DATABASE_REPLICA_URL is behind; infinite if it never answered.',
    labels: ['replica'],
    aggregator: 'max',
    value: () => lags().map(({ address, seconds }) => [{ replica: address }, seconds] as const),
  })
