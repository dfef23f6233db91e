import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { bench, dist, fromDist } from './paths.mjs'
import { databaseUrl, startServer } from './processes.mjs'

/** The first store is measured; the others only fill the tables. */
const SIZES = {
  s: { stores: 1, products: 2_000, customers: 5_000, orders: 5_000 },
  l: { stores: 1_001, products: 100_000, customers: 200_000, orders: 1_000_000 },
}
const SMALL = { products: 5, customers: 10, orders: 20 }

export const APP = {
  client_id: 'app_bench',
  client_secret: 'sk_bench',
  install_id: '00000000-0000-7000-8000-00000000be7c',
}

/** Identifies the data: a hash of the schema, the migrations and data.sql. */
const editionOf = async () => {
  const folders = ['core/storage/schema', 'core/storage/migrations'].map((name) => path.join(dist, name))
  const filesOf = async (folder) => (await readdir(folder)).sort().map((name) => path.join(folder, name))
  const files = (await Promise.all(folders.map(filesOf))).flat()
  const hash = createHash('sha256')
  for (const file of [...files, path.join(bench, 'data.sql')]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 10)
}

export const withClient = async (connection, work) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const timed = async (client, statement) => {
  const started = performance.now()
  await client.query(statement)
  if (process.env.BENCH_VERBOSE) console.error(Math.round(performance.now() - started), statement.trim().slice(0, 90))
}

const createShops = async (client, { stores, products, customers, orders }) => {
  await client.query(
    'create table bench_shop (shop bigint primary key, id uuid, products int, customers int, orders int)',
  )
  await client.query(`insert into bench_shop select n, new_id(), $2, $3, $4 from generate_series(1, $1::int) n`, [
    stores,
    SMALL.products,
    SMALL.customers,
    SMALL.orders,
  ])
  await client.query('update bench_shop set products = $1, customers = $2, orders = $3 where shop = 1', [
    products,
    customers,
    orders,
  ])
  await client.query(`insert into store (id, name, domain, currency)
    select id, 'Store ' || shop, 'shop' || shop || '.example', 'TND' from bench_shop`)
  const { PERMISSIONS } = await fromDist('resources/permissions/catalogue.js')
  const { rows } = await client.query(
    'insert into app (name, client_id, secret_hash) values ($1, $2, sha256($3)) returning id',
    ['Bench', APP.client_id, APP.client_secret],
  )
  await client.query(
    'insert into installation (id, store_id, app_id, permissions) select $1, id, $2, $3 from bench_shop where shop = 1',
    [APP.install_id, rows[0].id, PERMISSIONS],
  )
}

/** What triggers would have counted, had they not been disabled. */
const countAnalytics = async (client, connection) => {
  await timed(
    client,
    `insert into first_order
    select distinct on (store_id, customer_id) store_id, customer_id, created_at, currency from orders
    where customer_id is not null and status <> 'abandoned' order by store_id, customer_id, created_at, id`,
  )
  await timed(
    client,
    `insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    select c.* from orders o, unnest(all_counts(o, 1)) c`,
  )
  await timed(
    client,
    `insert into analytic_change (store_id, kind, key, currency, at, times, counts)
    select store_id, 'sales', '', currency, quarter_hour(at), count(*), '{"first_orders": 1}' from first_order
    group by 1, 4, 5`,
  )
  const { withUntimedDatabase } = await fromDist('core/storage/connect.js')
  const { mergeAnalyticChanges } = await fromDist('resources/analytics/merge-changes.js')
  await withUntimedDatabase(connection, 'bench', ({ db }) => mergeAnalyticChanges(db))
}

// Creating the indexes after the rows, and not checking foreign keys, is ten times as fast.
const withoutIndexes = async (connection, [client, other], work) => {
  // Only indexes that no foreign key needs. The index of a constraint is dropped and created with the constraint.
  const { rows: indexes } = await client.query(`
    select coalesce('alter table ' || i.indrelid::regclass || ' drop constraint ' || c.conname,
        'drop index ' || i.indexrelid::regclass) as drop,
      coalesce('alter table ' || i.indrelid::regclass || ' add constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid),
        pg_get_indexdef(i.indexrelid)) as make
    from pg_index i join pg_class t on t.oid = i.indrelid
    left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
    where t.relnamespace = 'public'::regnamespace and c.contype is distinct from 'p'
      and not exists (select from pg_constraint f where f.conindid = i.indexrelid and f.contype = 'f')
    order by pg_get_indexdef(i.indexrelid) like '%gin%', t.relname`)
  const { rows: tables } = await client.query(`select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname like '%order%', relname = 'orders'`)
  const onBoth = (statements) => {
    const doAll = async (client) => {
      for (let next = statements.pop(); next; next = statements.pop()) await timed(client, next)
    }
    return Promise.all([doAll(client), doAll(other)])
  }
  const all = (change) => client.query(tables.map(({ name }) => `alter table ${name} ${change};`).join('\n'))
  for (const { drop } of indexes) await client.query(drop)
  // Autovacuum would start in the middle of the load.
  await all('set (autovacuum_enabled = false)')
  await all('disable trigger all')
  await all('enable trigger user')
  // The triggers' results are written with the rows.
  await client.query('alter table delivery disable trigger delivery_added')
  await client.query('alter table file_link disable trigger link_added')
  // No event is recorded for this data.
  const { rows: captures } = await client.query(
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as disable
    from pg_trigger where tgname like 'capture\\_%'`,
  )
  for (const { disable } of captures) await client.query(disable)
  // Counted in one pass, once the indexes exist.
  await client.query(`alter table orders disable trigger count_inserted;
    alter table order_line disable trigger count_insert`)
  await work()
  await all('enable trigger all')
  // The largest first, because they take longest.
  await onBoth(indexes.map(({ make }) => make))
  await countAnalytics(client, connection)
  await onBoth(tables.map(({ name }) => `vacuum (analyze) ${name}`))
  await all('reset (autovacuum_enabled)')
}

const SETTINGS = `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '128MB'; set jit = off;
  set wal_compression = off; set max_parallel_maintenance_workers = 1`

/** Runs the statements in order. Those marked `-- beside` run in parallel on the second connection. */
const fill = async ([client, other]) => {
  const text = await readFile(path.join(bench, 'data.sql'), 'utf8')
  let beside = Promise.resolve()
  for (const statement of text.split(/;\n(?=\n|--|insert|create|update|drop)/)) {
    if (/^\s*-- beside/.test(statement)) beside = beside.then(() => timed(other, statement))
    else {
      if (/^\s*-- after all/.test(statement)) await beside
      await timed(client, statement)
    }
    beside.catch(() => {})
  }
}

const generate = (connection, size) =>
  withClient(connection, async (client) => {
    await client.query(SETTINGS)
    await createShops(client, size)
    await withClient(connection, async (other) => {
      await other.query(SETTINGS)
      await withoutIndexes(connection, [client, other], () => fill([client, other]))
    })
    await timed(client, 'checkpoint')
  })

/** A starting server renders the kept texts. */
const renderTexts = async (engine, database) => {
  const server = await startServer({ DATABASE_URL: databaseUrl(engine, database) }, { maxSeconds: 3_600 })
  await server.stop()
}

const rename = (client, from, to) => client.query(`alter database ${from} rename to ${to}`)

/** Returns the database of this size and creates it if necessary. It gets its final name once it is complete. */
export const prepareData = async (engine, name, say) => {
  const { migrateDatabase } = await fromDist('core/storage/connect.js')
  const edition = await editionOf()
  const database = `bench_${name}_${edition}`
  return withClient({ ...engine, database: 'postgres' }, async (admin) => {
    const { rows } = await admin.query('select datname from pg_database where datname like $1', [`bench_${name}_%`])
    const names = rows.map(({ datname }) => datname)
    for (const old of names.filter((one) => one !== database)) await admin.query(`drop database ${old}`)
    if (!names.includes(database)) {
      const draft = `bench_${name}_draft`
      say(`Making the data set ${name.toUpperCase()} …`)
      const started = performance.now()
      await admin.query(`drop database if exists ${draft} with (force)`)
      await admin.query(`create database ${draft}`)
      await migrateDatabase({ ...engine, database: draft })
      await generate({ ...engine, database: draft }, SIZES[name])
      await renderTexts(engine, draft)
      await rename(admin, draft, database)
      say(`… in ${((performance.now() - started) / 1000).toFixed(0)} s.`)
    }
    return database
  })
}

/** Copies the database for writes, so that every run starts from the same rows. */
export const copyData = (engine, database, suffix = '') =>
  withClient({ ...engine, database: 'postgres' }, async (admin) => {
    await admin.query(`drop database if exists bench_copy${suffix} with (force)`)
    await admin.query(`create database bench_copy${suffix} template ${database}`)
    return `bench_copy${suffix}`
  })

/** Ids and search terms for the requests. */
export const pickTargets = (connection) =>
  withClient(connection, async (client) => {
    const ids = async (table) =>
      (
        await client.query(
          `select t.id from ${table} t join bench_shop s on s.id = t.store_id and s.shop = 1 order by md5(t.id::text) limit 200`,
        )
      ).rows.map(({ id }) => id)
    const { rows } =
      await client.query(`select o.customer_phone as phone, o.ref, o.customer_id, o.customer_email as email,
        o.customer_last_name as last_name
      from orders o join bench_shop s on s.id = o.store_id and s.shop = 1 order by md5(o.id::text) limit 1`)
    const { rows: variants } =
      await client.query(`select v.id from variant v join bench_shop s on s.id = v.store_id and s.shop = 1
      where v.quantity > 0 order by md5(v.id::text) limit 2000`)
    const { rows: named } = await client.query(
      'select p.title from product p join bench_shop s on s.id = p.store_id and s.shop = 1 order by md5(p.id::text) limit 1',
    )
    return {
      title: named[0].title,
      product: await ids('product'),
      order: await ids('orders'),
      customer: await ids('customer'),
      review: await ids('review'),
      file: await ids('file'),
      page: await ids('landing_page'),
      category: await ids('category'),
      variants: variants.map(({ id }) => id),
      order1: rows[0],
    }
  })
