import pg from 'pg'
import { APP, copyData, pickTargets } from './data.mjs'
import { api } from './places.mjs'
import { cpuSeconds, helper, startServer } from './processes.mjs'
import { median } from './table.mjs'
import { smallWorks } from './works.mjs'

const CONNECTIONS = 16

/** @returns {Promise<any[]>} */
const query = async (connection, text, values = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const dropCapture = (connection) =>
  query(
    connection,
    `do $$ declare t record; begin
      for t in select tgname, tgrelid::regclass as source from pg_trigger where tgname like 'capture\\_%' loop
        execute format('drop trigger %I on %s', t.tgname, t.source);
      end loop; end $$`,
  )

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

/** The same writes on two copies, one without capture, by turns. */
const measureCapture = async ({ engine, small: database, environment, getToken, options, say }) => {
  const rounds = Number(options.rounds)
  const ms = Number(options.ms)
  const sides = {}
  const load = helper('load.mjs')
  try {
    for (const name of ['with', 'without']) {
      const copy = await copyData(engine, database, `_${name}`)
      const connection = { ...engine, database: copy }
      if (name === 'without') await dropCapture(connection)
      const server = await startServer(environment(engine, copy))
      const targets = { ...(await pickTargets(connection)), credentials: APP }
      const token = await getToken(server)
      const json = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const update = targets.product.map((id) => ({
        method: 'POST',
        path: `${api}/product/${id}/update`,
        headers: json,
        body: JSON.stringify({ title: 'Title ########' }),
      }))
      const works = smallWorks(targets, token)
      const find = (part) => works.find((work) => work.name.startsWith(part))?.requests
      sides[name] = {
        connection,
        server,
        works: {
          'POST /order': find('POST /order'),
          'POST /customer': find('POST /customer'),
          'product update': update,
        },
      }
    }
    const rows = []
    for (const work of ['POST /order', 'POST /customer', 'product update']) {
      const results = { with: [], without: [] }
      const go = ({ server, works }, job) =>
        load.ask({ connections: CONNECTIONS, ...job, port: server.port, requests: works[work], stamped: true })
      // Every connection plans its statements, those of triggers too, before anything is measured.
      for (const side of Object.values(sides)) await go(side, { count: 1_200 })
      for (let round = 0; round < rounds; round++) {
        for (const [name, side] of Object.entries(sides)) {
          const before = [
            cpuSeconds(side.server.pid),
            await backendSeconds(side.connection),
            await walBytes(side.connection),
          ]
          const result = await go(side, { ms })
          const after = [
            cpuSeconds(side.server.pid),
            await backendSeconds(side.connection),
            await walBytes(side.connection),
          ]
          const bad = Object.keys(result.statuses).filter((status) => status >= '300')
          if (bad.length > 0) throw new Error(`${work} answered ${JSON.stringify(result.statuses)}`)
          const per = (index, unit) => ((after[index] - before[index]) / result.count) * unit
          results[name].push({ ...result, node: per(0, 1000), postgres: per(1, 1000), wal: per(2, 1) })
        }
      }
      const of = (name, field) => median(results[name].map((one) => one[field]))
      const ratio = (field) => median(results.with.map((one, round) => one[field] / results.without[round][field]))
      const cpu = (name) => of(name, 'node') + of(name, 'postgres')
      rows.push({
        work,
        ratio: ratio('rps'),
        cpuRatio: cpu('without') / cpu('with'),
        p99: ratio('p99'),
        wal: ratio('wal'),
      })
      say(
        `${work}: ${ratio('rps').toFixed(2)} of the requests, p99 ${ratio('p99').toFixed(2)}, CPU ${cpu('with').toFixed(3)} against ${cpu('without').toFixed(3)} ms (PostgreSQL ${of('with', 'postgres').toFixed(3)} against ${of('without', 'postgres').toFixed(3)}), WAL ${of('with', 'wal').toFixed(0)} against ${of('without', 'wal').toFixed(0)} bytes`,
      )
    }
    return rows
  } finally {
    load.stop()
    for (const { server } of Object.values(sides)) await server.stop()
  }
}

export const measureEvents = async (context) => {
  await measureCapture(context)
}
