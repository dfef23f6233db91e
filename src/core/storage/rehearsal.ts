import type pg from 'pg'
import { leaveOnRelease } from './connection-shares.ts'
import { databaseCaller, type Rehearsal } from './database-caller.ts'
import { createFairQueue } from './fair-queue.ts'

const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction ')

const rehearseOn = (client: pg.PoolClient): Rehearsal => {
  let savepoints = 0
  const connect = async () => {
    const open: string[] = []
    const translate = (text: string) => {
      if (isBegin(text)) {
        open.push(`rehearsed_${++savepoints}`)
        return `savepoint ${open.at(-1)}`
      }
      if (text === 'commit') return `release savepoint ${open.pop()}`
      return text === 'rollback' ? `rollback to savepoint ${open.pop()}` : text
    }
    const query = (text: unknown, values?: unknown[]) =>
      typeof text === 'string' ? client.query(translate(text), values) : client.query(text as pg.QueryConfig)
    return { query, release: () => {} } as unknown as pg.PoolClient
  }
  const keepIf = async (work: () => Promise<boolean>) => {
    const savepoint = `rehearsed_${++savepoints}`
    await client.query(`savepoint ${savepoint}`)
    if (!(await work())) await client.query(`rollback to savepoint ${savepoint}`)
  }
  return { connect, keepIf }
}

type Connect = () => Promise<pg.PoolClient>

/**
 * Connections for rehearsals, at most half of the pool: their requests need others for the checks of access, which would
 * otherwise wait for connections that only the end of a rehearsal sets free.
 */
export const rehearsalConnections = (connect: Connect, pool: number): Connect => {
  const slots = Math.max(1, Math.floor(pool / 2))
  const queue = createFairQueue({ slots })
  return async () => {
    const { admitted, leave } = queue.enter([{ key: databaseCaller.getStore()?.installation ?? '', max: slots }])
    await admitted
    try {
      return leaveOnRelease(await connect(), leave)
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** Runs work in a transaction and rolls it back. */
export const rehearse = async <T>(
  connect: () => Promise<pg.PoolClient>,
  work: (rehearsal: Rehearsal) => Promise<T>,
): Promise<T> => {
  const client = await connect()
  try {
    await client.query('begin')
    return await work(rehearseOn(client))
  } finally {
    await client.query('rollback').then(
      () => client.release(),
      (error) => client.release(error),
    )
  }
}
