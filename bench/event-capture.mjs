import { atLeast, atMost, query, timed } from './event-servers.mjs'
import { createWebhook, startReceiver } from './event-webhooks.mjs'
import { api } from './paths.mjs'
import { cpuSeconds } from './processes.mjs'
import { median } from './table.mjs'
import { smallWorkloads } from './workloads.mjs'

const CONNECTIONS = 16

/** CPU time of the PostgreSQL processes that serve this database. */
const backendSeconds = async (connection) => {
  const rows = await query(
    connection,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  return rows.reduce((sum, { pid }) => sum + (cpuSeconds(pid) || 0), 0)
}

const walBytes = async (connection) =>
  Number((await query(connection, `select pg_current_wal_insert_lsn() - '0/0' as at`))[0].at)

const writesOf = ({ targets, token }) => {
  const works = smallWorkloads(targets, token)
  const find = (part) => works.find((work) => work.name.startsWith(part))?.requests
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  return {
    'POST /order': find('POST /order'),
    'POST /customer': find('POST /customer'),
    'product update': targets.product.map((id) => ({
      method: 'POST',
      path: `${api}/product/${id}/update`,
      headers,
      body: JSON.stringify({ title: 'Title ########' }),
    })),
  }
}

/** The same writes with and without capture, alternately. CPU time is nearly immune to other load on the machine. */
export const measureCapture = async (
  load,
  sides,
  { options, say },
  works = ['POST /order', 'POST /customer', 'product update'],
  note = '',
) => {
  const results = []
  for (const work of works) {
    /** @type {Record<string, any[]>} */
    const taken = { with: [], without: [] }
    const go = (side, job) =>
      load.ask({
        connections: CONNECTIONS,
        ...job,
        port: side.server.port,
        requests: writesOf(side)[work],
        stamped: true,
      })
    // Every connection plans its statements, those of triggers too, before anything is measured.
    for (const side of Object.values(sides)) await go(side, { count: 1_200 })
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [name, side] of Object.entries(sides)) {
        const stand = async () => [
          cpuSeconds(side.server.pid),
          await backendSeconds(side.connection),
          await walBytes(side.connection),
        ]
        const before = await stand()
        const done = await go(side, { ms: Number(options.ms) })
        const after = await stand()
        if (Object.keys(done.statuses).some((status) => status >= '300'))
          throw new Error(`${work} answered ${JSON.stringify(done.statuses)}`)
        const [node = 0, postgres = 0, wal = 0] = after.map(
          (value, index) => (value - (before[index] ?? 0)) / done.count,
        )
        taken[name]?.push({ ...done, cpu: (node + postgres) * 1000, wal })
      }
    }
    const of = (name, field) => median(taken[name]?.map((one) => one[field]) ?? [])
    say(
      `${work}: ${of('with', 'rps').toFixed(0)} against ${of('without', 'rps').toFixed(0)} requests/s, p99 ${of('with', 'p99').toFixed(1)} against ${of('without', 'p99').toFixed(1)} ms, CPU ${of('with', 'cpu').toFixed(2)} against ${of('without', 'cpu').toFixed(2)} ms, WAL ${of('with', 'wal').toFixed(0)} against ${of('without', 'wal').toFixed(0)} bytes`,
    )
    results.push(
      atLeast(
        `${work}${note}, of the requests per CPU time without capture`,
        of('without', 'cpu') / of('with', 'cpu'),
        '',
        0.9,
      ),
      atMost(
        `${work}${note}, p99 of that without capture (wall clock)`,
        of('with', 'p99') / of('without', 'p99'),
        ' x',
        1.15,
      ),
    )
    if (work === 'POST /order' && !note)
      results.push(
        atMost('POST /order, of the WAL without capture', of('with', 'wal') / of('without', 'wal'), ' x', 1.15),
      )
  }
  return results
}

/** A product with 2,000 variants, with and without capture, alternately. */
export const compareLargeProducts = async (sides) => {
  const values = (count) => Array.from({ length: count }, (_, n) => ({ value: `v${n}` }))
  const body = {
    title: 'Large',
    options: [
      { name: 'A', values: values(50) },
      { name: 'B', values: values(40) },
    ],
    variants: Array.from({ length: 2_000 }, (_, n) => ({
      price: 1,
      quantity: 1,
      values: [{ value: `v${n % 50}` }, { value: `v${Math.floor(n / 50)}` }],
    })),
  }
  const took = { with: [], without: [] }
  for (let round = 0; round < 6; round++)
    for (const [name, { call }] of Object.entries(sides))
      took[name].push(await timed(1, () => call('POST', '/product', body)))
  return atLeast(
    'product of 2,000 variants, of the speed without capture',
    median(took.without.slice(1)) / median(took.with.slice(1)),
    '',
    0.95,
  )
}

/** The same with one webhook that takes everything, delivered by the same process. */
export const measureCaptureWithWebhook = async (load, sides, context) => {
  const receiver = await startReceiver()
  const id = await createWebhook(sides.with, { url: receiver.url, types: ['*'], lanes: 8 })
  const results = await measureCapture(load, sides, context, ['POST /order', 'POST /customer'], ' with a webhook')
  await sides.with.call('DELETE', `/webhook/${id}`)
  receiver.stop()
  return results
}
