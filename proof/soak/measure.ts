import { readdir, readFile } from 'node:fs/promises'
import { withDatabase } from '../history/identities.ts'
import type { World } from '../history/world.ts'

/** What must not grow while the service works. */
export interface Sample {
  at: number
  /** Of the node that is never killed, in MB. */
  memory: number
  descriptors: number
  /** Of all nodes, to the database. */
  connections: number
  /** Of the database without its write-ahead log, in MB. */
  database: number
  /** Uploaded and temporary files, in number. */
  files: number
}

const MB = 2 ** 20

const memoryOf = async (pid: number) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

export const takeSample = async (world: World, pid: number): Promise<Sample> => {
  const { connections, size } = await withDatabase(world, async (db) => {
    const { rows } = await db.query(
      `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        pg_database_size(current_database())::float8 as size`,
    )
    return rows[0]
  })
  return {
    at: performance.now(),
    memory: await memoryOf(pid),
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
    connections,
    database: size / MB,
    files: (await readdir(world.settings.DATA_DIR, { recursive: true })).length,
  }
}

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
export const percentile99 = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
