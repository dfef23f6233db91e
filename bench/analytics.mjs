// The CPU time that each report of /analytic takes over a year, on the million orders of data set L.
//   npm run build && node bench/analytics.mjs [ROUNDS]
import path from 'node:path'
import pg from 'pg'
import { APP, prepareData } from './data.mjs'
import { api, dataDir, fromDist } from './paths.mjs'
import { cpuSeconds, postgresCpuSeconds, startServer } from './processes.mjs'

const rounds = Number(process.argv[2] ?? 10)
const { openEngine } = await fromDist('core/storage/embedded/engine.js')

const engine = await openEngine(dataDir, { kind: 'command', name: 'bench' }, console.error)
try {
  const { host, port, user, password = '' } = engine.admin
  const database = await prepareData(engine.admin, 'l', console.error)
  const client = new pg.Client({ ...engine.admin, database })
  await client.connect()
  const { rows } = await client.query(`select
    (select p.id from product p join bench_shop s on s.id = p.store_id and s.shop = 1 order by p.id limit 1) as product,
    (select p.id from landing_page p join bench_shop s on s.id = p.store_id and s.shop = 1 order by p.id limit 1) as page`)
  await client.query(`update store set time_zone = 'Europe/Paris' where name = 'Store 1'`)
  await client.end()
  const { product, page } = rows[0]
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
    const measure = async (name, asked) => {
      for (let n = 0; n < 3; n++) await get(asked)
      const read = () => [postgresCpuSeconds(dataDir), cpuSeconds(server.pid)]
      const before = read()
      for (let n = 0; n < rounds; n++) await get(asked)
      const used = read().map((now, n) => ((now - before[n]) / rounds) * 1000)
      console.log(`${name}: ${used.map((ms) => ms.toFixed(0)).join(' + ')}`)
    }
    for (const [name, query] of [
      ['sales', ''],
      ['customers', ''],
      ['delivery', ''],
      ['products', `&product_id=${product}`],
      ['landing-pages', `&landing_page_id=${page}`],
    ])
      for (const interval of ['hour', 'day', 'week', 'month']) {
        const from = interval === 'hour' ? '2025-11-21' : '2025-01-01'
        const asked = `/analytic/${name}?from=${from}&to=2025-12-31&interval=${interval}${query}`
        await measure(`${name}${query && ' of one'} by ${interval}`, asked)
      }
    for (const [name, from, to] of [
      ['a calendar year', '2025-01-01', '2025-12-31'],
      ['twelve months from October', '2024-10-01', '2025-09-30'],
      ['365 days until the middle of November', '2024-11-17', '2025-11-16'],
      ['a quarter', '2025-07-01', '2025-09-30'],
      ['a month', '2025-10-01', '2025-10-31'],
      ['30 days', '2025-10-18', '2025-11-16'],
    ])
      for (const report of ['products', 'products?order_by=units', 'landing-pages', 'stock']) {
        const [path, query = ''] = report.split('?')
        await measure(`${report}, ${name}`, `/analytic/${path}?from=${from}&to=${to}&${query}`)
      }
  } finally {
    await server.stop()
  }
} finally {
  await engine.close()
}
