import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'

const ROUNDS = 12

/** The same with more writers, several nodes, a killed one and pgbouncer: tests/resilience/events.test.ts. */
test('with slow, rolled-back and open transactions, every committed change appears once, in order, without gaps', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const insert =
    'insert into category (store_id, id, name, name_key) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)'
  const connect = async () => {
    const client = new pg.Client(api.connection)
    await client.connect()
    return client
  }
  const committed: string[] = []
  const rolledBack: string[] = []
  const writeSlowly = async () => {
    const client = await connect()
    for (let round = 0; round < ROUNDS; round++) {
      const id = randomUUID()
      await client.query('begin')
      await client.query(insert, [api.store.id, id])
      await sleep(Math.random() * 30)
      const commits = Math.random() < 0.7
      await client.query(commits ? 'commit' : 'rollback')
      ;(commits ? committed : rolledBack).push(id)
    }
    await client.end()
  }
  const renamed = new Map<string, number>()
  const writeOverHttp = async () => {
    const { customer } = (await all.post('/customer', { email: `${randomUUID()}@shop.example` })).body.data
    committed.push(customer.id)
    for (let round = 0; round < ROUNDS; round++) {
      const { status } = await all.put(`/customer/${customer.id}`, { name: `Name ${round}` })
      expect(status).toBe(200)
      renamed.set(customer.id, round + 1)
    }
  }

  const open = await connect()
  const late = randomUUID()
  await open.query('begin')
  await open.query(insert, [api.store.id, late])
  let isDone = false
  const seen: { position: number; type: string; id: string; name: string | undefined }[] = []
  const follow = async (): Promise<string> => {
    let cursor = ''
    for (;;) {
      const isLast = isDone
      const { events, next_cursor, more } = (
        await all.get(`/event?page_size=7${isLast ? '' : '&wait=1'}${cursor && `&cursor=${cursor}`}`)
      ).body.data
      for (const { position, type, resource, data } of events)
        seen.push({ position, type, id: resource.id, name: data.name })
      cursor = next_cursor
      if (isLast && !more) return cursor
    }
  }
  const following = follow()
  await Promise.all([...Array.from({ length: 4 }, writeSlowly), ...Array.from({ length: 4 }, writeOverHttp)])
  isDone = true
  const cursor = await following

  expect(seen.map(({ position }) => position)).toEqual(seen.map((_, index) => index + 1))
  const created = seen.slice(1).flatMap(({ type, id }) => (type.endsWith('.created') ? [id] : []))
  expect(seen[0]?.type).toBe('domain.created')
  expect([...created].sort()).toEqual([...committed].sort())
  expect(created.filter((id) => rolledBack.includes(id))).toEqual([])
  for (const [id, times] of renamed) {
    const types = seen.filter((event) => event.id === id).map(({ type }) => type)
    expect(types).toEqual(['customer.created', ...Array(times).fill('customer.updated')])
    expect(seen.findLast((event) => event.id === id)?.name).toBe(`Name ${times - 1}`)
  }

  // It delayed nobody else, and comes when it commits.
  await open.query('commit')
  await open.end()
  const { events } = (await all.get(`/event?cursor=${cursor}`)).body.data
  expect(events).toMatchObject([{ type: 'category.created', resource: { id: late }, position: seen.length + 1 }])
  const left = await runSql(api.db, sqlText`select from change where store_id = $1`, [api.store.id])
  expect(left).toEqual([])
})

test('a transaction that stays open while others are numbered twice is not skipped', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const add = () => all.post('/customer', { email: `${randomUUID()}@shop.example` })
  const read = async (cursor = '') => (await all.get(`/event?payload=thin${cursor && `&cursor=${cursor}`}`)).body.data
  await add()
  const open = new pg.Client(api.connection)
  await open.connect()
  await open.query('begin')
  const late = randomUUID()
  await open.query(
    'insert into category (store_id, id, name, name_key) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)',
    [api.store.id, late],
  )
  let cursor: string | undefined
  for (let round = 0; round < 3; round++) {
    cursor = (await read(cursor)).next_cursor
    await add()
  }
  await open.query('commit')
  await open.end()
  const { events } = await read(cursor)
  expect(events.map(({ type }: { type: string }) => type).sort()).toEqual(['category.created', 'customer.created'])
})

test('a numbering that is rolled back is done by the next reader, with the same positions', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { customer } = (await all.post('/customer', { email: `${randomUUID()}@shop.example` })).body.data
  const killed = new pg.Client(api.connection)
  killed.on('error', () => {})
  await killed.connect()
  await killed.query('begin')
  const { rows } = await killed.query('select number_changes($1) as taken, pg_backend_pid() as pid', [api.store.id])
  expect(rows[0].taken).toBe(2)
  const reading = all.get('/event?payload=thin')
  await runSql(api.db, sqlText`select pg_terminate_backend($1::int)`, [rows[0].pid])
  const { events } = (await reading).body.data
  expect(events).toMatchObject([
    { position: 1, type: 'domain.created' },
    { position: 2, type: 'customer.created', resource: { id: customer.id } },
  ])
})
