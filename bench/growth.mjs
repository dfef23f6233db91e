import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import { pickTargets } from './data.mjs'
import { literal } from './literal.mjs'
import { api, dataDir } from './paths.mjs'
import { helper, residentMb, startForgetfulServer } from './processes.mjs'
import { median } from './table.mjs'
import { growthWorkloads } from './workloads.mjs'

const CONNECTIONS = 2
const MAX_GROWTH = 3

/** Compares the p50 of a request on the small and the large data set, alternating between them. */
const compareSizes = async (load, small, large, name) => {
  const times = { small: [], large: [] }
  for (let round = 0; round < 3; round++)
    for (const [key, side] of Object.entries({ small, large })) {
      const result = await load.ask({ connections: CONNECTIONS, count: 30, ...side })
      if (Object.keys(result.statuses).some((status) => status !== '200'))
        throw new Error(`${name} answered ${JSON.stringify(result.statuses)}`)
      times[key].push(result.p50)
    }
  const [s, l] = [median(times.small), median(times.large)]
  return { work: name, small: s, large: l, growth: l / s }
}

/** Turns the statement for the first batch of an export into one COPY of all orders with the same lines. */
const copyText = ({ text, values }) => {
  const [, batch] = /\n {6}from \(\n {8}(select [\s\S]* as line,[\s\S]*) offset 0\n/.exec(text) ?? []
  if (!batch) throw new Error('The export sends another statement than the one that this turns into a COPY.')
  const all = batch.replace(/ limit \d+\n/, '\n').replace(/ planned limit \$\d+::bigint/, ' planned')
  const whole = `select o.line from (${all}) o`.replace(/\$(\d+)\b/g, (_, place) => literal(values[place - 1]))
  return `copy (${whole}) to stdout`
}

const copyToFile = async (connection, text) => {
  const file = path.join(dataDir, 'export.csv')
  const client = new pg.Client({ ...connection, options: '-c jit=off' })
  await client.connect()
  const started = performance.now()
  await pipeline(client.query(copyStreams.to(text)), createWriteStream(file))
  await client.end()
  await rm(file)
  return performance.now() - started
}

const download = (port, headers, pid) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    let most = 0
    let bytes = 0
    let firstByte
    const watch = setInterval(() => {
      most = Math.max(most, residentMb(pid))
    }, 50)
    request({ port, host: '127.0.0.1', path: `${api}/order/export`, headers }, (reply) => {
      reply.on('data', (chunk) => {
        firstByte ??= performance.now() - started
        bytes += chunk.length
      })
      reply.on('error', reject)
      reply.on('end', () => {
        clearInterval(watch)
        resolve({ ms: performance.now() - started, firstByte, most, bytes })
      })
    })
      .on('error', reject)
      .end()
  })

const measureExport = async ({ load, server, connection, env, headers, targets, captureAll }) => {
  const [{ statements }] = await captureAll(env, connection, [{ path: `${api}/order/export?to=2000-01-01`, headers }])
  const text = copyText(statements.at(-1)).replace(/ and o\.created_at <= '[^']*'::timestamptz/, '')
  const reads = {
    connections: CONNECTIONS,
    port: server.port,
    requests: targets.product.map((id) => ({ path: `${api}/product/${id}`, headers })),
  }
  const before = residentMb(server.pid)
  const quiet = await load.ask({ ...reads, ms: 5_000 })
  const [exported, beside] = await Promise.all([
    download(server.port, headers, server.pid),
    load.ask({ ...reads, ms: 15_000 }),
  ])
  const alone = await download(server.port, headers, server.pid)
  const copied = await copyToFile(connection, text)
  return {
    'export against COPY': { value: Number((copied / alone.ms).toFixed(2)), least: 0.75 },
    'export, ms to the first byte': { value: Math.round(alone.firstByte), most: 1_000 },
    'export, s': { value: Number((alone.ms / 1000).toFixed(1)) },
    'COPY, s': { value: Number((copied / 1000).toFixed(1)) },
    'export, MB': { value: Math.round(alone.bytes / 1e6) },
    'RSS during export above before, MB': { value: Math.round(Math.max(exported.most, alone.most) - before), most: 60 },
    'p99 of reads beside it, times': { value: Number((beside.p99 / quiet.p99).toFixed(2)), most: 3 },
  }
}

/** @type {[name: string, show: (row: any) => string][]} */
const COLUMNS = [
  ['request', (row) => row.work],
  ['S p50 ms', (row) => row.small.toFixed(2)],
  ['L p50 ms', (row) => row.large.toFixed(2)],
  ['L / S', (row) => row.growth.toFixed(2)],
  ['target', (row) => `${MAX_GROWTH} ${row.growth <= MAX_GROWTH ? 'met' : 'MISSED'}`],
]

export const measureGrowth = async ({ engine, small, large, only, environment, getToken, captureAll, say }) => {
  const load = helper('load.mjs')
  const open = async (database) => {
    const connection = { ...engine, database }
    const env = environment(engine, database)
    // A remembered reply costs the same however much data there is.
    const server = await startForgetfulServer(env)
    const headers = { Authorization: `Bearer ${await getToken(server)}` }
    return { connection, env, server, headers, targets: await pickTargets(connection) }
  }
  const s = await open(small)
  const l = await open(large)
  try {
    const rows = []
    const works = { s: growthWorkloads(s.targets), l: growthWorkloads(l.targets) }
    for (const [index, work] of works.s.entries()) {
      if (only && !work.name.includes(only)) continue
      const side = (one, { path }) => ({ port: one.server.port, requests: [{ path, headers: one.headers }] })
      const row = await compareSizes(load, side(s, work), side(l, works.l[index]), work.name)
      rows.push(row)
      if (row.growth > MAX_GROWTH) say(`${row.work}: ${row.small.toFixed(2)} ms, large ${row.large.toFixed(2)} ms`)
    }
    return { columns: COLUMNS, rows, facts: only ? {} : await measureExport({ ...l, load, captureAll }) }
  } finally {
    load.stop()
    await s.server.stop()
    await l.server.stop()
  }
}
