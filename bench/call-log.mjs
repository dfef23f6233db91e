// What the log of calls costs: two servers of one build by turns, of which one has CALL_LOG_DAYS=0.
//   npm run build && node bench/call-log.mjs [--rounds 9] [--ms 3000] [--only 'POST /order']
import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CONNECTIONS, WARM_UP_MS } from './compare.mjs'
import { APP, copyData, pickTargets, prepareData } from './data.mjs'
import { query } from './event-servers.mjs'
import { api, dataDir, fromDist } from './paths.mjs'
import { cpuSeconds, databaseUrl, helper, startServer } from './processes.mjs'
import { median, printTable } from './table.mjs'
import { smallWorkloads } from './workloads.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    ms: { type: 'string', default: '3000' },
    only: { type: 'string' },
  },
})
const WORKS = ['GET /product/{id}', '20 orders', 'POST /order, 2 lines']
const TARGET = 0.97
/** Lines are written every second, and counts every ten. */
const UNTIL_WRITTEN_MS = 11_000

const say = (text) => console.error(text)
const files = path.join(dataDir, 'files')

const startSide = async (engine, small, name, env) => {
  const database = await copyData(engine, small, `_log_${name}`)
  const connection = { ...engine, database }
  const counted = await countedCalls({ connection })
  const server = await startServer({
    DATABASE_URL: databaseUrl(engine, database),
    DATA_DIR: path.join(files, name),
    BASE_URL: 'http://localhost:3000',
    TOKEN_SECRET: 'a secret of thirty-two bytes or more, for the bench',
    ...env,
  })
  const reply = await fetch(`http://127.0.0.1:${server.port}${api}/auth/get-token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(APP),
  })
  const { token } = /** @type {any} */ (await reply.json()).data
  const targets = { ...(await pickTargets(connection)), credentials: APP }
  const works = new Map(smallWorkloads(targets, token).map((work) => [work.name, work]))
  return { connection, counted, server, works }
}

/** CPU time of a server and of its connections to the database, whenever it is spent: the log is written in the background. */
const startMeter = async ({ connection, server }) => {
  const seen = new Map()
  let total = 0
  const sample = async (isFirst = false) => {
    const backends = await query(
      connection,
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    for (const pid of [server.pid, ...backends.map((row) => row.pid)]) {
      const now = cpuSeconds(pid) || 0
      total += now - (seen.get(pid) ?? (isFirst ? now : 0))
      seen.set(pid, now)
    }
    return total
  }
  await sample(true)
  return sample
}

const measure = async (load, sides, name) => {
  const names = /** @type {const} */ (['on', 'off'])
  const job = (side) => {
    const { requests, against } = sides[side].works.get(name)
    return { connections: CONNECTIONS, port: sides[side].server.port, requests, stamped: against === 'bare' }
  }
  for (const side of names) await load.ask({ ...job(side), ms: WARM_UP_MS })
  await sleep(UNTIL_WRITTEN_MS)
  const meters = { on: await startMeter(sides.on), off: await startMeter(sides.off) }
  /** @type {Record<'on' | 'off', number[]>} */
  const rates = { on: [], off: [] }
  const counts = { on: 0, off: 0 }
  for (let round = 0; round < Number(options.rounds); round++)
    // Whatever slows the machine down for long slows each of them first, by turns.
    for (const side of round % 2 === 0 ? names : names.toReversed()) {
      const { rps, count, statuses } = await load.ask({ ...job(side), ms: Number(options.ms) })
      if (Object.keys(statuses).some((status) => status >= '300'))
        throw new Error(`${name} answered ${JSON.stringify(statuses)}`)
      rates[side].push(rps)
      counts[side] += count
      await meters[side]()
    }
  await sleep(UNTIL_WRITTEN_MS)
  const cpuMs = async (side) => ((await meters[side]()) / counts[side]) * 1000
  const ratios = rates.on.map((rps, round) => rps / (rates.off[round] ?? Number.NaN))
  const [on, off] = [await cpuMs('on'), await cpuMs('off')]
  return {
    work: name,
    rps: median(rates.on),
    offRps: median(rates.off),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    cpuMs: on,
    offCpuMs: off,
    cpuRatio: off / on,
  }
}

const countedCalls = async ({ connection }) =>
  Number((await query(connection, 'select coalesce(sum(calls), 0) as calls from call_tally'))[0].calls)

/** Otherwise both would be the same server. */
const requireLog = async ({ on, off }) => {
  const [calls, none] = [(await countedCalls(on)) - on.counted, (await countedCalls(off)) - off.counted]
  if (calls === 0 || none > 0) throw new Error(`The log counted ${calls} calls, and ${none} where it is off.`)
  say(`The log counted ${calls} calls.`)
}

const { openEngine } = await fromDist('core/storage/embedded/engine.js')
const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, say)
const load = helper('load.mjs')
/** @type {any} */
const sides = {}
try {
  const small = await prepareData(engine.admin, 's', say)
  sides.on = await startSide(engine.admin, small, 'on', {})
  sides.off = await startSide(engine.admin, small, 'off', { CALL_LOG_DAYS: '0' })
  const rows = []
  for (const name of WORKS.filter((name) => name.includes(options.only ?? ''))) {
    rows.push(await measure(load, sides, name))
    const { ratio, cpuRatio } = rows.at(-1)
    say(`${name}: ${ratio.toFixed(3)} of the requests per second, ${cpuRatio.toFixed(3)} of those per CPU time`)
  }
  await requireLog(sides)
  const verdict = (value) => `${value.toFixed(3)} ${value >= TARGET ? 'met' : 'MISSED'}`
  printTable({
    rows,
    columns: [
      ['log on against off', (row) => row.work],
      [`per CPU time, at least ${TARGET}`, (row) => verdict(row.cpuRatio)],
      [`per second, at least ${TARGET}`, (row) => verdict(row.ratio)],
      ['(least-most)', (row) => row.spread.map((value) => value.toFixed(2)).join('-')],
      ['req/s', (row) => row.rps.toFixed(0)],
      ['off', (row) => row.offRps.toFixed(0)],
      ['CPU ms/req', (row) => row.cpuMs.toFixed(3)],
      ['off', (row) => row.offCpuMs.toFixed(3)],
    ],
  })
} finally {
  load.stop()
  for (const { server } of Object.values(sides)) await server.stop()
  await engine.close()
  for (const name of ['on', 'off']) rmSync(path.join(files, name), { recursive: true, force: true })
}
