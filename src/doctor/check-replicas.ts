import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { databaseAddress, withUntimedDatabase } from '../core/storage/connect.ts'
import type { Db } from '../core/storage/database.ts'
import { primaryPosition, replayPosition } from '../core/storage/replicas.ts'
import type { Finding } from './finding.ts'

const check = 'replica'

const checkReplica = async (url: string, primary: Db, maxLagSeconds: number): Promise<Finding> => {
  const where = databaseAddress(url)
  const fault = (found: string, fix: string): Finding => ({ check, state: 'fault', found, fix })
  try {
    return await withUntimedDatabase(
      { connectionString: url, connectionTimeoutMillis: 3_000 },
      'doctor',
      async ({ db }) => {
        const position = await primaryPosition(primary)
        for (const until = performance.now() + maxLagSeconds * 1000; ; await sleep(50)) {
          const replayed = await replayPosition(db)
          if (replayed === undefined)
            return fault(
              `${where} is not a standby.`,
              'Name standbys of the database in DATABASE_REPLICA_URL, or leave it out.',
            )
          if (replayed >= position) return { check, state: 'ok', found: `${where} keeps up with the primary.` }
          if (performance.now() > until)
            return fault(
              `${where} is more than ${maxLagSeconds} s behind, so it is not read from.`,
              'See pg_stat_replication on the primary: the standby may be cut off, or replay too slowly.',
            )
        }
      },
    )
  } catch (error) {
    const { message, name } = error as Error
    return fault(
      `${where} cannot be asked: ${message || name}`,
      'Start that PostgreSQL, or put DATABASE_REPLICA_URL right.',
    )
  }
}

export const checkReplicas = (config: Config, primary: Db): Promise<Finding[]> =>
  Promise.all(config.DATABASE_REPLICA_URL.map((url) => checkReplica(url, primary, config.REPLICA_MAX_LAG_SECONDS)))
