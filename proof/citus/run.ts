import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../tests/resilience/postgres-server.ts'
import { createCitusDatabase, dropCitusDatabase } from '../../tests/support/citus.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { differs, sortedHistory } from '../checker/states.ts'
import { createNode } from '../history/world.ts'
import { createRandom } from '../random.ts'
import type { Anomaly, Json } from '../record.ts'
import { readEverything, SOME_READS } from './readings.ts'
import { type Exchange, openSide, type Side } from './side.ts'

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SHARDS = '4'
/** After so many, the others follow from them. */
const MAX_ANOMALIES = 20

interface CitusRun {
  /** The coordinator of a cluster with workers, as a superuser. */
  url: string
  ops: number
  seed: number
}

export interface CitusResult {
  ops: number
  seed: number
  version: string
  writes: number
  refused: number
  reads: number
  /** Pages of lists, the export, the snapshot and the figures, when everything was over. */
  pages: number
  events: number
  seconds: number
  anomalies: Anomaly[]
}

const settingsOf = async (DATABASE_URL: string) => ({
  DATABASE_URL,
  DATA_DIR: await temporaryFolder('storefront-proof-files-'),
  DEMO: 'false',
  LOG_LEVEL: 'error',
  DATABASE_POOL: '6',
})

const startPlain = async () => {
  const { url } = await startPostgres({ settings: { fsync: 'off' } })
  return { direct: url, nodes: [await createNode('plain', await settingsOf(url))] }
}

const startDistributed = async (cluster: string) => {
  const name = `proof_${randomBytes(4).toString('hex')}`
  await createCitusDatabase(cluster, name)
  addCleanup(() => dropCitusDatabase(cluster, name))
  const url = new URL(cluster)
  url.pathname = `/${name}`
  const direct = url.toString()
  const settings = await settingsOf(direct)
  for (const words of [['migrate'], ['distribute', '--shards', SHARDS]])
    await promisify(execFile)(process.execPath, [CLI, ...words], { env: { ...process.env, ...settings } })
  return { direct, nodes: [await createNode('distributed', settings)] }
}

const versionOf = async (connectionString: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query('select citus_version() as version')
  await client.end()
  return (/[0-9.]+/.exec(rows[0].version) as RegExpExecArray)[0]
}

/** Entries of one write have no sequence in the history of an order. */
const withoutSequence = (name: string, value: Json): Json =>
  name === 'history' && Array.isArray(value) ? sortedHistory(value) : value

/** JSON, its lines, or the text itself. */
const parse = (body: string): Json => {
  try {
    return body.startsWith('{') ? body.split('\n').map((line) => JSON.parse(line || 'null', withoutSequence)) : body
  } catch {
    return body
  }
}

/** Where two replies differ; nothing if they do not. */
const difference = (plain: Exchange, distributed: Exchange): string | undefined => {
  if (plain.request !== distributed.request) return `asked ${distributed.request} instead of ${plain.request}`
  if (plain.status !== distributed.status)
    return `${distributed.status} instead of ${plain.status}: ${distributed.body.slice(0, 300)}`
  if (plain.body === distributed.body) return undefined
  return differs(parse(distributed.body), parse(plain.body))?.slice(0, 400)
}

/** Sends the same random writes and reads to a service on plain PostgreSQL and to one on Citus, and compares the replies. */
export const runCitus = async ({ url, ops, seed }: CitusRun): Promise<CitusResult> => {
  const started = performance.now()
  const worlds = [await startPlain(), await startDistributed(url)] as const
  const version = await versionOf(worlds[1].direct)
  const sides = [await openSide(worlds[0], seed), await openSide(worlds[1], seed)] as const
  const random = createRandom(seed).fork()
  const anomalies: Anomaly[] = []
  const counts = { writes: 0, refused: 0, reads: 0, pages: 0, events: 0 }
  const compare = (name: string, [plain, distributed]: readonly [readonly Exchange[], readonly Exchange[]]) => {
    if (plain.length !== distributed.length)
      anomalies.push({ name, detail: `${distributed.length} replies instead of ${plain.length}` })
    for (const [at, exchange] of plain.entries()) {
      const other = distributed[at]
      const found = other && difference(exchange, other)
      if (found) anomalies.push({ name, detail: `${exchange.request.slice(0, 300)}: ${found}` })
    }
  }
  const both = <T>(work: (side: Side) => Promise<T>) => Promise.all([work(sides[0]), work(sides[1])] as const)

  for (let n = 0; n < ops && anomalies.length < MAX_ANOMALIES; n++) {
    if (random.chance(0.2)) {
      counts.reads++
      const list = random.chance(0.4) ? random.pick(SOME_READS) : undefined
      compare(
        'a read differs',
        await both(async (side) => [list ? (await side.read(list)).exchange : await side.readOne()]),
      )
      continue
    }
    const replies = await both((side) => side.write(n))
    counts.writes++
    if ((replies[0][0]?.status ?? 0) >= 400) counts.refused++
    compare('a reply differs', replies)
    compare('the feed differs', await both(async (side) => [await side.news()]))
  }
  const readings = await both(readEverything)
  counts.pages = readings[0].length
  counts.events = sides[0].events()
  compare('a reading differs', readings)
  for (const node of worlds.flatMap(({ nodes }) => nodes)) {
    if (anomalies.length > 0) console.log(node.output().slice(-4_000))
    await node.stop()
  }
  return { ops, seed, version, ...counts, anomalies, seconds: (performance.now() - started) / 1000 }
}
