import { rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { CONNECTIONS, compare, WARM_UP_MS } from './compare.mjs'
import { APP, copyData, pickTargets } from './data.mjs'
import { api, dataDir, fromDist } from './paths.mjs'
import { helper, peakMb, startServer } from './processes.mjs'
import { comparedWorkloads } from './workloads.mjs'

/**
 * Starts the build of another checkout, with a PostgreSQL and a copy of data set S of its own. Its own `bench/` makes the
 * data, because its schema may differ.
 */
const startOtherBuild = async (folder, { files, environment, say }) => {
  const fromBench = (module) => import(pathToFileURL(path.resolve(folder, 'bench', module)).href)
  const [data, processes] = await Promise.all([fromBench('data.mjs'), fromBench('processes.mjs')])
  const { openEngine } = await fromDist('core/storage/embedded/engine.js')
  const engine = await openEngine(`${dataDir}-before`, { kind: 'command', name: 'bench' }, say)
  const database = await data.copyData(engine.admin, await data.prepareData(engine.admin, 's', say))
  const server = await processes.startServer({ ...environment(engine.admin, database), DATA_DIR: `${files}-before` })
  return {
    ...server,
    connection: { ...engine.admin, database },
    stop: async () => {
      await server.stop()
      await engine.close()
    },
  }
}

/** How many times as fast as the build before kept text each workload has to be. */
const GAINS = {
  'GET /product/{id}': 1.6,
  'GET /order/{id}': 1.6,
  'GET /customer/{id}': 1.6,
  '20 products': 3,
  '20 orders': 4,
  '20 customers': 3,
  '20 reviews': 3,
  'POST /customer': 2,
  'POST /order, 2 lines': 1.7,
  'POST /product/{id}/update, one field': 1,
}

/** The most memory of each process, both just started, while it answers lists of 200 orders. */
const peakOfLists = async (load, servers, getToken) => {
  const peaks = []
  for (const server of servers) {
    const headers = { Authorization: `Bearer ${await getToken(server)}` }
    const requests = [{ path: `${api}/order?page_size=200`, headers }]
    await load.ask({ connections: CONNECTIONS, ms: WARM_UP_MS, port: server.port, requests })
    peaks.push(Math.round(peakMb(server.pid)))
  }
  const [value, most] = peaks
  return { 'lists of 200 orders, peak RSS in MB': { value, most } }
}

/** Compares this build with another one on the same data set, alternately. */
export const measureBuilds = async ({ engine, small, environment, getToken, files, options, say }) => {
  const copy = await copyData(engine, small)
  const load = helper('load.mjs')
  const server = await startServer(environment(engine, copy))
  const other = await startOtherBuild(options.before, { files, environment, say })
  try {
    const worksOf = async (one, connection) => {
      const targets = { ...(await pickTargets(connection)), credentials: APP }
      return comparedWorkloads(targets, await getToken(one)).filter(
        ({ name }) => !options.only || name.includes(options.only),
      )
    }
    const [ours, theirs] = [
      await worksOf(server, { ...engine, database: copy }),
      await worksOf(other, other.connection),
    ]
    const facts = options.only ? {} : await peakOfLists(load, [server, other], getToken)
    const rows = []
    const side = ({ port }, { requests, stamped }) => ({ port, requests, stamped })
    say(`Warming up for ${WARM_UP_MS / 1000} s per workload and build …`)
    for (const [index, work] of ours.entries())
      for (const one of [side(server, work), side(other, theirs[index])])
        await load.ask({ connections: CONNECTIONS, ms: WARM_UP_MS, ...one })
    for (const [index, work] of ours.entries()) {
      rows.push(
        await compare({
          load,
          server,
          reference: other,
          rounds: Number(options.rounds),
          ms: Number(options.ms),
          work: { ...work, against: 'build before', target: GAINS[work.name] },
          ours: side(server, work),
          theirs: side(other, theirs[index]),
          databases: { ours: dataDir, theirs: `${dataDir}-before` },
        }),
      )
      const { ratio, cpuMs, referenceCpuMs, databaseCpuMs, referenceDatabaseCpuMs } = rows.at(-1)
      const against = (ours, theirs) => `${ours.toFixed(3)} against ${theirs.toFixed(3)} ms`
      say(
        `${work.name}: ${ratio.toFixed(2)} times, CPU ${against(cpuMs, referenceCpuMs)}, ` +
          `PostgreSQL ${against(databaseCpuMs, referenceDatabaseCpuMs)}`,
      )
    }
    return { rows, facts }
  } finally {
    load.stop()
    await server.stop()
    await other.stop()
    rmSync(files, { recursive: true, force: true })
  }
}
