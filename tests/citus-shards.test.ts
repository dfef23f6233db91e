import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { distribute } from '../src/core/storage/distribute.ts'
import { startTestApi } from './support/api.ts'
import { isOnCitus } from './support/citus.ts'
import { expectOrderTextsToFitRows } from './support/kept-texts.ts'
import { addProduct } from './support/products.ts'

/** How many triggers of each shard of orders have a function that names shards. */
const OWN_FUNCTIONS = `select count(*) from pg_trigger t join pg_proc p on p.oid = t.tgfoid
  where t.tgrelid = '%s'::regclass and p.proname ~ '_[0-9]+$'`

test.skipIf(!isOnCitus)('orders are placed while their shard moves to another worker, and none is lost', async () => {
  const api = await startTestApi()
  const { db, store } = api
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 1_000 })
  const placed: number[] = []
  const place = async () => {
    const customer_email = `${placed.length % 3}@example.com`
    const reply = await all.post('/order', { customer_email, variants: [{ variant_id: variant, quantity: 1 }] })
    placed.push(reply.status)
  }
  const ownFunctions = async () => {
    const { rows } = await sql<{ shardid: number; count: number }>`
      select shardid, result::int as count from run_command_on_placements('orders', ${OWN_FUNCTIONS})`.execute(db)
    return new Map(rows.map(({ shardid, count }) => [shardid, count]))
  }
  await place()
  const { rows } = await sql<{ shard: number; host: string; port: number }>`
    select shardid as shard, nodename as host, nodeport as port from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('orders', ${store.id}::uuid)`.execute(db)
  const [{ shard, host, port }] = rows as [{ shard: number; host: string; port: number }]
  expect(Math.min(...(await ownFunctions()).values())).toBeGreaterThan(5)

  let isMoving = true
  const callers = [0, 1].map(async () => {
    while (isMoving) await place()
  })
  await sql`select citus_move_shard_placement(${shard}::bigint, ${host}, ${port}, n.nodename, n.nodeport, 'force_logical')
    from pg_dist_node n where n.shouldhaveshards and n.nodeport <> ${port} limit 1`.execute(db)
  isMoving = false
  await Promise.all(callers)
  await place()

  expect(new Set(placed)).toEqual(new Set([201]))
  const counted = await sql<{ orders: number; counted: number; spent: number; left: number }>`
    select (select count(*) from orders where store_id = ${store.id}) as orders,
      (select sum(delta)::int from tally where store_id = ${store.id} and kind = 'orders' and facet = '') as counted,
      (select sum(order_count)::int from customer where store_id = ${store.id}) as spent,
      (select quantity from variant where store_id = ${store.id} and id = ${variant}) as left`.execute(db)
  const n = placed.length
  expect(counted.rows).toEqual([{ orders: n, counted: n, spent: n, left: 1_000 - n }])
  await expectOrderTextsToFitRows(db, store.id)

  expect((await ownFunctions()).get(shard)).toBe(0)
  await distribute(db)
  expect((await ownFunctions()).get(shard)).toBeGreaterThan(5)
  await place()
  expect(placed.at(-1)).toBe(201)
})
