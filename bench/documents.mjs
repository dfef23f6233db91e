import pg from 'pg'
import { copyData, pickTargets } from './data.mjs'
import { api, fromDist } from './places.mjs'
import { startServer } from './processes.mjs'
import { median, printTable } from './table.mjs'

const { SESSION } = await fromDist('storage/database.js')

const TIMES = 60

/** By turns, so that what disturbs one disturbs the other: how much faster the second is. */
const compare = async (work, rendered, kept) => {
  const times = { rendered: [], kept: [] }
  for (let round = 0; round < TIMES + 10; round++)
    for (const [name, run] of Object.entries({ rendered, kept })) {
      const started = performance.now()
      await run(round)
      if (round >= 10) times[name].push(performance.now() - started)
    }
  const [a, b] = [median(times.rendered), median(times.kept)]
  return { work, rendered: a, kept: b, gain: a / b }
}

const COLUMNS = [
  ['statement', (row) => row.work],
  ['rendered, ms', (row) => row.rendered.toFixed(2)],
  ['kept, ms', (row) => row.kept.toFixed(2)],
  ['gain', (row) => row.gain.toFixed(2)],
]

/** The same reads and a write, once rendered and once with the document kept beside the row. */
const measure = async (client, links, { table, json, list, found, touch }, ids) => {
  const { Statement } = await fromDist('storage/statement.js')
  const { bindLinks } = await fromDist('files/links.js')
  const render = (where) => {
    const statement = new Statement()
    bindLinks(statement, links)
    return {
      statement,
      text: `select t.store_id, t.id, ${json(statement, links, 't')}::text as json from ${table} t ${where(statement)}`,
    }
  }
  const one = render(({ bind }) => `where t.store_id = ${bind(ids.store)} and t.id = ${bind(null)}`)
  const oneOf = (id) => ({ name: `one_${table}`, text: one.text, values: one.statement.values.with(-1, id) })
  const all = render(() => '')
  await client.query(`create table ${table}_document (store_id uuid, id uuid, json text, primary key (store_id, id))`)
  await client.query(`insert into ${table}_document ${all.text}`, all.statement.values)
  await client.query(`vacuum analyze ${table}_document`)
  const keptOne = `select json from ${table}_document where store_id = $1 and id = $2`
  const keptList = `select string_agg(d.json, ',' order by h.place) from (
      select h.*, row_number() over () as place from (${found}) h) h
    join ${table}_document d on d.store_id = $1 and d.id = h.id`
  const keep = `with made as (${one.text}) update ${table}_document d set json = made.json from made
    where d.store_id = made.store_id and d.id = made.id returning d.json`
  const at = (round) => ids[table][round % ids[table].length]
  const inTransaction = async (...queries) => {
    await client.query('begin')
    for (const query of queries) await client.query(query)
    await client.query('commit')
  }
  const touched = (id) => ({ name: `touch_${table}`, text: touch, values: [ids.store, id] })
  return [
    await compare(
      `one of ${table}`,
      (round) => client.query(oneOf(at(round))),
      (round) => client.query({ name: `kept_one_${table}`, text: keptOne, values: [ids.store, at(round)] }),
    ),
    await compare(
      `20 of ${table}`,
      () => client.query({ ...list, name: `list_${table}` }),
      () => client.query({ name: `kept_list_${table}`, text: keptList, values: [ids.store] }),
    ),
    await compare(
      `a change of one of ${table}, and its answer`,
      (round) => inTransaction(touched(at(round)), oneOf(at(round))),
      (round) => inTransaction(touched(at(round)), { ...oneOf(at(round)), name: `keep_${table}`, text: keep }),
    ),
  ]
}

/** What lies beyond rendering on each read: the finished text, looked up. Prints what it would gain and cost. */
export const measureDocuments = async ({ engine, small, environment, getToken, captureAll }) => {
  const database = await copyData(engine, small)
  const connection = { ...engine, database }
  const env = environment(engine, database)
  const server = await startServer(env)
  const headers = { Authorization: `Bearer ${await getToken(server)}` }
  await server.stop()
  const lists = await captureAll(
    env,
    connection,
    ['product', 'orders'].map((table) => ({ path: `${api}/${table.replace(/s$/, '')}?page_size=20`, headers })),
  )
  const [{ productJson }, { orderJson }, { fileLinks }] = await Promise.all(
    ['products/json.js', 'orders/json.js', 'files/links.js'].map(fromDist),
  )
  const targets = await pickTargets(connection)
  const client = new pg.Client({ ...connection, options: SESSION })
  await client.connect()
  const { rows } = await client.query('select id from bench_shop where shop = 1')
  const ids = { store: rows[0].id, product: targets.product, orders: targets.order }
  const links = fileLinks('http://localhost:3000/files', Buffer.alloc(32), 3600)
  const kind = (table, json, { statements }) => ({
    table,
    json,
    list: { text: statements.at(-1).text, values: statements.at(-1).values },
    found: `select id from ${table} where store_id = $1 order by created_at desc, id desc limit 21`,
    touch: `update ${table} set updated_at = now() where store_id = $1 and id = $2`,
  })
  const result = [
    ...(await measure(client, links, kind('product', productJson, lists[0]), ids)),
    ...(await measure(client, links, kind('orders', orderJson, lists[1]), ids)),
  ]
  await client.end()
  printTable({ columns: COLUMNS, rows: result })
}
