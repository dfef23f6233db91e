import pg from 'pg'
import { pickTargets } from './data.mjs'
import { startServer } from './processes.mjs'
import { growthWorks, smallWorks } from './works.mjs'

/** Below this a table is read through, and rightly. */
const LARGE_ROWS = 1_000

const scans = (node, large) => [
  ...(node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name']) ? [node['Relation Name']] : []),
  ...(node.Plans ?? []).flatMap((child) => scans(child, large)),
]

/** The scans that find the rows; what renders each of them is the same in every list. */
const access = (node) => {
  const index = node['Index Name'] ? ` using ${node['Index Name']}` : ''
  const own =
    node['Relation Name'] || index
      ? [`${node['Node Type']}${index}${node['Relation Name'] ? ` on ${node['Relation Name']}` : ''}`]
      : []
  return [...own, ...(node.Plans ?? []).flatMap((child) => access(child))]
}

const isStatement = ({ text, values }) => values.length > 0 && /^\s*(select|insert|update|delete|with)\b/i.test(text)

/** Each statement of each endpoint with its plan, and which of them read a large table from end to end. */
export const showPlans = async ({ engine, database, environment, captureAll, getToken }) => {
  const connection = { ...engine, database }
  const env = environment(engine, database)
  const server = await startServer(env)
  const token = await getToken(server)
  await server.stop()
  const targets = await pickTargets(connection)
  const headers = { Authorization: `Bearer ${token}` }
  // Reads only: a write would change the data that the next run compares.
  const reads = smallWorks(targets, token).filter(({ against }) => against === 'L2')
  const works = [
    ...reads.map(({ name, requests }) => ({ name, path: requests[0].path })),
    ...growthWorks(targets).map(({ name, path }) => ({ name, path })),
  ]
  const captured = await captureAll(
    env,
    connection,
    works.map(({ path }) => ({ path, headers })),
  )
  const client = new pg.Client({ ...connection, options: '-c jit=off' })
  await client.connect()
  const { rows: tables } = await client.query('select relname from pg_class where reltuples >= $1', [LARGE_ROWS])
  const large = new Set(tables.map(({ relname }) => relname))
  let flagged = 0
  for (const [index, { name }] of works.entries())
    for (const statement of captured[index].statements.filter(isStatement)) {
      const { rows } = await client.query(`explain (analyze, format json) ${statement.text}`, statement.values)
      const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN']
      const through = scans(plan, large)
      if (through.length > 0) flagged++
      const distinct = [...new Set(access(plan))]
      console.log(
        `${name}  (${ms.toFixed(1)} ms)${through.length > 0 ? `  SEQUENTIAL SCAN of ${through.join(', ')}` : ''}`,
      )
      for (const line of distinct) console.log(`    ${line}`)
    }
  await client.end()
  console.log(
    flagged === 0
      ? '\nNo sequential scan of a table that grows with a store.'
      : `\n${flagged} statements with a sequential scan.`,
  )
}
