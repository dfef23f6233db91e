import type pg from 'pg'

/** A transaction that is rolled back, on whose connection several requests run one after the other. */
export interface Rehearsal {
  /** The connection, on which a transaction becomes a savepoint. */
  connect: () => Promise<pg.PoolClient>
  /** Runs work whose changes are undone at once unless it returns true. */
  keepIf: (work: () => Promise<boolean>) => Promise<void>
}

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
