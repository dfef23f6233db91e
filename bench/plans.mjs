import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { copyData, pickTargets } from './data.mjs'
import { literal } from './literal.mjs'
import { api, fromDist, root } from './paths.mjs'
import { startServer } from './processes.mjs'
import { growthWorkloads, smallWorkloads } from './workloads.mjs'
import { writes } from './writes.mjs'

const { SESSION_OPTIONS } = await fromDist('core/storage/database.js')

/** A sequential scan of a smaller table is right. */
const LARGE_ROWS = 1_000

const scans = (node, large) => [
  ...(node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name']) ? [node['Relation Name']] : []),
  ...(node.Plans ?? []).flatMap((child) => scans(child, large)),
]

/** The scans of a plan. */
const access = (node) => {
  const index = node['Index Name'] ? ` using ${node['Index Name']}` : ''
  const own =
    node['Relation Name'] || index
      ? [`${node['Node Type']}${index}${node['Relation Name'] ? ` on ${node['Relation Name']}` : ''}`]
      : []
  return [...own, ...(node.Plans ?? []).flatMap((child) => access(child))]
}

const isStatement = ({ text, values }) => values.length > 0 && /^\s*(select|insert|update|delete|with)\b/i.test(text)

/** The generic plan, which the server uses. */
const explain = async (client, text, values, planOnly) => {
  await client.query(`prepare looked_at as ${text}`)
  const { rows } = await client.query(
    `explain (${planOnly ? '' : 'analyze, '}format json) execute looked_at (${values.map(literal).join()})`,
  )
  await client.query('deallocate looked_at')
  return rows[0]['QUERY PLAN'][0]
}

const swapStore = (values, from, to) => values.map((value) => (value === from ? to : value))

/** Captures statements: reads are run with explain analyze, writes on a copy of the small store are only planned. */
const captureStatements = async ({ engine, database, small, environment, captureAll, getToken }) => {
  const capture = async (database, worksOf) => {
    const connection = { ...engine, database }
    const env = environment(engine, database)
    const server = await startServer(env)
    const token = await getToken(server)
    await server.stop()
    const works = await worksOf(connection, await pickTargets(connection), token)
    const captured = await captureAll(env, connection, works)
    return works.map(({ name, method = 'GET' }, index) => {
      const { path, statements, status } = captured[index]
      if (status >= 400) throw new Error(`${name} answered ${status}`)
      return { name, call: `${method} ${path}`, statements: statements.filter(isStatement) }
    })
  }
  const reads = await capture(database, (_connection, targets, token) => {
    const headers = { Authorization: `Bearer ${token}` }
    return [
      ...smallWorkloads(targets, token)
        .filter(({ against }) => against === 'L2')
        .map(({ name, requests }) => ({ name, path: requests[0].path, headers })),
      ...growthWorkloads(targets).map(({ name, path }) => ({ name, path, headers })),
      ...['/auth/me', '/permission'].map((path) => ({ name: `GET ${path}`, path: `${api}${path}`, headers })),
      { name: 'GET /order/export', path: `${api}/order/export?from=2025-12-31`, headers },
    ]
  })
  const written = await capture(await copyData(engine, small), (connection, targets, token) =>
    writes(connection, targets, { Authorization: `Bearer ${token}` }),
  )
  return [...reads, ...written.map((work) => ({ ...work, planOnly: true }))]
}

/** Operations of the OpenAPI document that no request covers. */
const forgotten = async (works) => {
  const { paths } = JSON.parse(await readFile(path.join(root, 'openapi.json'), 'utf8'))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${api}${path}`),
  )
  const pattern = (operation) => new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)
  return operations.filter((operation) => !works.some(({ call }) => pattern(operation).test(call)))
}

/** Prints the plan of each statement of each endpoint and flags sequential scans of large tables. */
export const showPlans = async (context) => {
  const { engine, database, small } = context
  const works = await captureStatements(context)
  const client = new pg.Client({ ...engine, database, options: SESSION_OPTIONS })
  await client.connect()
  const storeOf = async (database) => {
    const one = new pg.Client({ ...engine, database })
    await one.connect()
    const { rows } = await one.query('select id from bench_shop where shop = 1')
    await one.end()
    return rows[0].id
  }
  const [from, to] = [await storeOf(small), await storeOf(database)]
  const { rows: tables } = await client.query('select relname from pg_class where reltuples >= $1', [LARGE_ROWS])
  const large = new Set(tables.map(({ relname }) => relname))
  let flagged = 0
  for (const { name, statements, planOnly } of works)
    for (const { text, values } of statements) {
      const asked = planOnly ? swapStore(values, from, to) : values
      const { Plan: plan, 'Execution Time': ms } = await explain(client, text, asked, planOnly)
      const through = scans(plan, large)
      if (through.length > 0) flagged++
      const time = ms === undefined ? 'planned' : `${ms.toFixed(1)} ms`
      console.log(`${name}  (${time})${through.length > 0 ? `  SEQUENTIAL SCAN of ${through.join(', ')}` : ''}`)
      for (const line of new Set(access(plan))) console.log(`    ${line}`)
    }
  await client.end()
  for (const operation of await forgotten(works)) console.log(`NOT LOOKED AT: ${operation}`)
  console.log(
    flagged === 0
      ? '\nNo sequential scan of a table that grows with a store.'
      : `\n${flagged} statements with a sequential scan.`,
  )
}
