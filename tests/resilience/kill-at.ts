import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { expect } from 'vitest'
import type { Db } from '../../src/core/storage/database.ts'
import type { ServerProcess } from '../support/server-process.ts'

const numberOf = async (db: Db, statement: RawBuilder<{ n: number }>) => (await statement.execute(db)).rows[0]?.n

/**
 * Kills a node while its transaction waits for what this statement locks, which is therefore the step it has reached. A
 * request that the node has got must not be answered.
 */
export const killAt = async (
  { db, connection }: { db: Db; connection: pg.ClientConfig },
  server: ServerProcess,
  lock: string,
  act: () => Promise<unknown>,
) => {
  const blocker = new pg.Client(connection)
  await blocker.connect()
  try {
    await blocker.query('begin')
    await blocker.query(lock)
    const { pid } = (await blocker.query('select pg_backend_pid() as pid')).rows[0]
    const acted = act().then(
      () => 'answered',
      () => 'cut off',
    )
    const blocked = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and ${pid} = any(pg_blocking_pids(pid))`
    await expect.poll(() => numberOf(db, blocked), { interval: 20 }).toBeGreaterThan(0)
    await server.stop('SIGKILL')
    expect(await acted).toBe('cut off')
  } finally {
    await blocker.query('rollback')
    await blocker.end()
  }
  // PostgreSQL notices that the client has gone when it wants to reply.
  const open = sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
      and application_name like 'storefront%'`
  await expect.poll(() => numberOf(db, open)).toBe(0)
}
