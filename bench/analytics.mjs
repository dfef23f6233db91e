// The CPU time that each report of /analytic takes over a year, on the million orders of data set L.
//   npm run build && node bench/analytics.mjs [ROUNDS]
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { APP, prepareData } from './data.mjs'
import { api, dataDir, fromDist } from './places.mjs'
import { cpuSeconds, startServer } from './processes.mjs'

const rounds = Number(process.argv[2] ?? 10)
const { openEngine } = await fromDist('storage/embedded/engine.js')

/** CPU seconds of all processes of PostgreSQL. */
const postgresCpu = (postmaster) => {
  const parentOf = (pid) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1])
    } catch {
      return 0
    }
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
  return pids.reduce((sum, pid) => sum + (cpuSeconds(pid) || 0), 0)
}

const firstLine = (file) => Number(readFileSync(file, 'utf8').split('\n')[0])

const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, console.error)
try {
  const { host, port, user, password = '' } = engine.admin
  const database = await prepareData(engine.admin, 'l', console.error)
  const client = new pg.Client({ ...engine.admin, database })
  await client.connect()
  const { rows } = await client.query(`select
    (select p.id from product p join bench_shop s on s.id = p.store_id and s.shop = 1 order by p.id limit 1) as product,
    (select p.id from landing_page p join bench_shop s on s.id = p.store_id and s.shop = 1 order by p.id limit 1) as page`)
  // Figures need no kept texts, which take longer to write than all else.
  await client.query(`insert into setting (name, value) values ('kept_texts', $1) on conflict do nothing`, [
    'order,product,variant',
  ])
  await client.query(`update store set time_zone = 'Europe/Paris' where name = 'Store 1'`)
  await client.end()
  const { product, page } = rows[0]
  const postmaster = firstLine(path.join(dataDir, 'postgres/postmaster.pid'))
  const server = await startServer({
    DATABASE_URL: `postgresql://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    DATA_DIR: path.join(dataDir, 'files'),
    TOKEN_SECRET: 'a secret of thirty-two bytes or more, for the bench',
  })
  try {
    const base = `http://127.0.0.1:${server.port}${api}`
    const reply = await fetch(`${base}/auth/get-token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(APP),
    })
    const authorization = `Bearer ${/** @type {any} */ (await reply.json()).data.token}`
    const get = async (path) => {
      const reply = await fetch(base + path, { headers: { authorization } })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`)
    }
    console.log('CPU ms per request: PostgreSQL + Node')
    for (const [name, query] of [
      ['sales', ''],
      ['customers', ''],
      ['delivery', ''],
      ['products', ''],
      ['products', `&product_id=${product}`],
      ['landing-pages', ''],
      ['landing-pages', `&landing_page_id=${page}`],
      ['stock', ''],
    ])
      for (const interval of ['hour', 'day', 'week', 'month']) {
        const from = interval === 'hour' ? '2025-11-21' : '2025-01-01'
        const asked = `/analytic/${name}?from=${from}&to=2025-12-31&interval=${interval}${query}`
        for (let n = 0; n < 3; n++) await get(asked)
        const before = [postgresCpu(postmaster), cpuSeconds(server.pid)]
        for (let n = 0; n < rounds; n++) await get(asked)
        const used = [postgresCpu(postmaster), cpuSeconds(server.pid)].map(
          (now, n) => ((now - before[n]) / rounds) * 1000,
        )
        console.log(`${name}${query && ' of one'} by ${interval}: ${used.map((ms) => ms.toFixed(0)).join(' + ')}`)
      }
  } finally {
    await server.stop()
  }
} finally {
  await engine.close()
}
