// What the log of calls costs, told in two ways. First by turns: one server, whose log is switched off and on
// (switch-call-log.mjs). On a machine that others use too, two seconds of load differ by more than the log costs, so this needs
// an idle one. Then by share: the part of the CPU time of a server under load that its functions take, as V8 samples it, and
// the CPU time of PostgreSQL for writing as many lines. This tells little costs apart on any machine.
//   npm run build && node bench/call-log.mjs [--rounds 20] [--ms 2000] [--only 'POST /order']
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CONNECTIONS, WARM_UP_MS } from './compare.mjs'
import { APP, copyData, pickTargets, prepareData, withClient } from './data.mjs'
import { query } from './event-servers.mjs'
import { api, bench, dataDir, dist, fromDist } from './paths.mjs'
import { cpuSeconds, databaseUrl, helper, startServer } from './processes.mjs'
import { median, printTable } from './table.mjs'
import { smallWorkloads } from './workloads.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    ms: { type: 'string', default: '2000' },
    only: { type: 'string' },
  },
})
const WORKS = ['GET /product/{id}', '20 orders', 'POST /order, 2 lines']
const TARGET = 0.97
/** Lines are written every second. Counts are written every ten, one row for each route and caller: too little to tell apart. */
const UNTIL_WRITTEN_MS = 1_200
const PROFILED_MS = 15_000

const say = (text) => console.error(text)
const files = path.join(dataDir, 'files')

const start = async (engine, database, nodeFlags) => {
  process.env.BENCH_NODE_FLAGS = nodeFlags
  const server = await startServer({
    DATABASE_URL: databaseUrl(engine, database),
    DATABASE_POOL: '10',
    DATA_DIR: files,
    BASE_URL: 'http://localhost:3000',
    TOKEN_SECRET: 'a secret of thirty-two bytes or more, for the bench',
  })
  const reply = await fetch(`http://127.0.0.1:${server.port}${api}/auth/get-token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(APP),
  })
  const { token } = /** @type {any} */ (await reply.json()).data
  const targets = { ...(await pickTargets({ ...engine, database })), credentials: APP }
  return { server, works: new Map(smallWorkloads(targets, token).map((work) => [work.name, work])) }
}

const jobOf = ({ server, works }, name) => {
  const { requests, against } = works.get(name)
  return { connections: CONNECTIONS, port: server.port, requests, stamped: against === 'bare' }
}

/** CPU seconds of the server and of its connections to the database. */
const startMeter = ({ server }, connection) => {
  const seen = new Map()
  return async () => {
    const backends = await query(
      connection,
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    let spent = 0
    for (const pid of [server.pid, ...backends.map((row) => row.pid)]) {
      const now = cpuSeconds(pid) || 0
      spent += now - (seen.get(pid) ?? now)
      seen.set(pid, now)
    }
    return spent
  }
}

const measure = async (load, started, connection, name) => {
  const job = jobOf(started, name)
  const meter = startMeter(started, connection)
  /** @type {Record<'on' | 'off', number[]>} */
  const rates = { on: [], off: [] }
  const cpu = { on: 0, off: 0 }
  const counts = { on: 0, off: 0 }
  const pairs = []
  const warm = await load.ask({ ...job, ms: WARM_UP_MS })
  await sleep(UNTIL_WRITTEN_MS)
  for (let round = 0; round < Number(options.rounds); round++) {
    // Whatever slows the machine down for long slows each of them first, by turns: on off, off on.
    const sides = round % 2 === 0 ? /** @type {const} */ (['on', 'off']) : /** @type {const} */ (['off', 'on'])
    const pair = { on: 0, off: 0 }
    for (const [place, side] of sides.entries()) {
      if (place === 1) process.kill(started.server.pid, 'SIGUSR2')
      await meter()
      const { rps, count, statuses } = await load.ask({ ...job, ms: Number(options.ms) })
      if (Object.keys(statuses).some((status) => status >= '300'))
        throw new Error(`${name} answered ${JSON.stringify(statuses)}`)
      await sleep(UNTIL_WRITTEN_MS)
      const spent = await meter()
      rates[side].push(rps)
      cpu[side] += spent
      counts[side] += count
      pair[side] = spent / count
    }
    pairs.push(pair)
  }
  // It is on again for the next work.
  if (Number(options.rounds) % 2 === 1) process.kill(started.server.pid, 'SIGUSR2')
  const perRequest = (side) => (cpu[side] / counts[side]) * 1000
  return {
    work: name,
    rps: median(rates.on),
    offRps: median(rates.off),
    ratio: median(rates.on.map((rps, round) => rps / rates.off[round])),
    cpuRatio: median(pairs.map(({ on, off }) => off / on)),
    spread: [Math.min(...pairs.map(({ on, off }) => off / on)), Math.max(...pairs.map(({ on, off }) => off / on))],
    cpuMs: perRequest('on'),
    offCpuMs: perRequest('off'),
    recorded: warm.count + counts.on,
    skipped: counts.off,
  }
}

const countedCalls = async (connection) =>
  Number((await query(connection, 'select coalesce(sum(calls), 0) as calls from call_tally'))[0].calls)

const OWN = /src\/resources\/calls\//

/** Where in the build the modules of the log are: the bundler marks where each begins and ends. */
const ownLines = () =>
  readdirSync(path.join(dist, 'chunks'))
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => {
      const lines = readFileSync(path.join(dist, 'chunks', file), 'utf8').split('\n')
      return lines.flatMap((line, from) =>
        line.startsWith('//#region ') && OWN.test(line)
          ? [{ file: `/${file}`, from, to: lines.indexOf('//#endregion', from) }]
          : [],
      )
    })

/** The share of the log in the time that a profile was not idle. */
const shareIn = (folder) => {
  const [name] = readdirSync(folder)
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path.join(folder, String(name)), 'utf8'))
  const own = ownLines()
  if (own.length === 0) throw new Error('The build has no modules of the log.')
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const known = new Map()
  const isOwn = (id) => {
    if (id === undefined) return false
    if (!known.has(id)) {
      const { url, lineNumber } = byId.get(id).callFrame
      const here = own.some(({ file, from, to }) => url.endsWith(file) && lineNumber > from && lineNumber < to)
      known.set(id, here || isOwn(parents.get(id)))
    }
    return known.get(id)
  }
  let [busy, log] = [0, 0]
  for (const [place, id] of samples.entries()) {
    if (byId.get(id).callFrame.functionName === '(idle)') continue
    busy += timeDeltas[place]
    if (isOwn(id)) log += timeDeltas[place]
  }
  return log / busy
}

const STATEMENTS = 200

/** CPU seconds of PostgreSQL to write a line, with as many in a statement as in a second of the load. */
const costOfLine = (connection, lines) =>
  withClient(connection, async (client) => {
    const { rows } = await client.query(
      `select pg_backend_pid() as pid, (select json_agg(c) from (select * from call limit ${Math.ceil(lines)}) c) as lines`,
    )
    const [{ pid, lines: written }] = rows
    const before = cpuSeconds(pid)
    for (let n = 0; n < STATEMENTS; n++)
      await client.query('insert into call select * from json_populate_recordset(null::call, $1::json)', [
        JSON.stringify(written),
      ])
    return (cpuSeconds(pid) - before) / STATEMENTS / written.length
  })

/** The share of the log in the CPU time of the server and of PostgreSQL while it answers one kind of request. */
const measureShare = async (load, engine, database, name) => {
  const connection = { ...engine, database }
  const folder = mkdtempSync(path.join(tmpdir(), 'call-log-'))
  const started = await start(engine, database, `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=500`)
  try {
    const job = jobOf(started, name)
    await load.ask({ ...job, ms: WARM_UP_MS })
    const linesOf = async () => Number((await query(connection, 'select count(*) as lines from call'))[0].lines)
    await sleep(UNTIL_WRITTEN_MS)
    const lines = await linesOf()
    const meter = startMeter(started, connection)
    await meter()
    const before = cpuSeconds(started.server.pid)
    const { count } = await load.ask({ ...job, ms: PROFILED_MS })
    await sleep(UNTIL_WRITTEN_MS)
    const spent = await meter()
    const nodeSpent = cpuSeconds(started.server.pid) - before
    const written = (await linesOf()) - lines
    await started.server.stop()
    const perLine = await costOfLine(connection, (written * 1000) / PROFILED_MS)
    const log = nodeSpent * shareIn(folder) + perLine * written
    return { count, written, share: log / spent }
  } finally {
    await started.server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const { openEngine } = await fromDist('core/storage/embedded/engine.js')
const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, say)
const load = helper('load.mjs')
let started
try {
  const database = await copyData(engine.admin, await prepareData(engine.admin, 's', say), '_log')
  const connection = { ...engine.admin, database }
  const before = await countedCalls(connection)
  started = await start(engine.admin, database, `--import ${path.join(bench, 'switch-call-log.mjs')}`)
  const rows = []
  for (const name of WORKS.filter((name) => name.includes(options.only ?? ''))) {
    rows.push(await measure(load, started, connection, name))
    const { ratio, cpuRatio } = rows.at(-1)
    say(`${name}: ${ratio.toFixed(3)} of the requests per second, ${cpuRatio.toFixed(3)} of those per CPU time`)
  }
  await started.server.stop()
  // Otherwise nothing was switched.
  const counted = (await countedCalls(connection)) - before
  const sum = (name) => rows.reduce((total, row) => total + row[name], 0)
  if (counted < sum('recorded') || counted > sum('recorded') + sum('skipped') / 10)
    throw new Error(`The log counted ${counted} calls instead of ${sum('recorded')}.`)
  for (const row of rows) {
    row.share = (await measureShare(load, engine.admin, database, row.work)).share
    say(`${row.work}: the log takes ${(row.share * 100).toFixed(2)} % of the CPU time`)
  }
  const verdict = (value) => `${value.toFixed(3)} ${value >= TARGET ? 'met' : 'MISSED'}`
  printTable({
    rows,
    columns: [
      ['log on against off', (row) => row.work],
      [`by share, at least ${TARGET}`, (row) => verdict(1 - row.share)],
      ['by turns, per CPU time', (row) => row.cpuRatio.toFixed(3)],
      ['(least-most)', (row) => row.spread.map((value) => value.toFixed(2)).join('-')],
      ['by turns, per second', (row) => row.ratio.toFixed(3)],
      ['req/s', (row) => row.rps.toFixed(0)],
      ['off', (row) => row.offRps.toFixed(0)],
      ['CPU ms/req', (row) => row.cpuMs.toFixed(3)],
      ['off', (row) => row.offCpuMs.toFixed(3)],
    ],
  })
} finally {
  load.stop()
  await started?.server.stop()
  await engine.close()
  rmSync(files, { recursive: true, force: true })
}
