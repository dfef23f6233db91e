import pg from 'pg'
import { expect, test } from 'vitest'
import { createShopCaller, getToken, seedShop } from '../../../tests/resilience/seeded-shop.ts'
import { ndjson } from '../../../tests/support/bulk.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { startProcess, temporaryFolder } from '../../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../../tests/support/test-database.ts'

const LINES = 12
/** Reached only after others of its batch. */
const FATAL = 4

const address = (n: number) => `line-${n}@example.com`

test('a line on which the process was killed twice is not tried again, and the lines around it are applied once', async ({
  skip,
}) => {
  skip(isOnCitus, 'the row is locked on a worker, where the test does not look for who waits')
  const connection = await cloneDatabase()
  const shop = await seedShop(connection)
  const folder = await temporaryFolder()
  const [db, locker] = [new pg.Client(connection), new pg.Client(connection)]
  for (const client of [db, locker]) {
    await client.connect()
    addCleanup(() => client.end())
  }
  const start = async () => {
    const server = startProcess({
      ...{ DATABASE_URL: databaseUrl(connection), DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'warn' },
      TOKEN_SECRET: 'a secret of thirty-two bytes or more, for each start',
    })
    const base = await server.ready()
    return { server, base, caller: createShopCaller(base, await getToken(base, shop.credentials)) }
  }
  const first = await start()
  expect((await first.caller.post('/customer', { email: address(FATAL), name: 'Before' })).status).toBe(201)
  // The line waits for this lock, as one that works for ever would do.
  await locker.query('begin')
  await locker.query('select 1 from customer where email = $1 for update', [address(FATAL)])
  const { rows } = await locker.query('select pg_backend_pid() as pid')
  const waiting = async () =>
    (await db.query('select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0].pid])).rows

  const lines = Array.from({ length: LINES }, (_, n) => ({ email: address(n + 1), name: 'Imported' }))
  const reply = await fetch(`${first.base}/bulk?resource=customer&mode=upsert&match=email`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await getToken(first.base, shop.credentials)}`,
      'content-type': 'application/x-ndjson',
    },
    body: ndjson(lines),
  })
  expect(reply.status).toBe(202)
  const { id } = ((await reply.json()) as { data: { job: { id: string } } }).data.job

  // First in a batch, where nobody knows which line it was; then twice alone.
  let { server } = first
  for (let kill = 0; kill < 3; kill++) {
    await expect.poll(waiting).toHaveLength(1)
    await server.stop('SIGKILL')
    for (const { pid } of await waiting()) await db.query('select pg_terminate_backend($1)', [pid])
    await db.query("update bulk_job set leased_until = now() - interval '1 second' where id = $1", [id])
    ;({ server } = await start())
  }
  await expect.poll(async () => (await db.query('select status from bulk_job')).rows).toEqual([{ status: 'done' }])
  expect(await waiting()).toEqual([])

  const last = await start()
  const { job } = (await last.caller.get(`/bulk/${id}`)).body.data
  expect(job.counts).toEqual({ lines: LINES, done: LINES, created: LINES - 1, updated: 0, failed: 1 })
  const results = (await last.caller.get(`/bulk/${id}/result`)).text
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(results.map(({ line }) => line)).toEqual(lines.map((_, n) => n + 1))
  expect(results.filter(({ status }) => status === 'failed')).toEqual([
    {
      line: FATAL,
      status: 'failed',
      code: 'server_error',
      message: 'The server stopped twice while it worked on this line, so the line was not tried again.',
      errors: {},
    },
  ])
  const found = await db.query('select email, name from customer order by created_at, email')
  expect(found.rows.filter(({ name }) => name === 'Imported')).toHaveLength(LINES - 1)
  expect(found.rows).toContainEqual({ email: address(FATAL), name: 'Before' })
  for (const { server: running } of [{ server }, last]) expect(await running.stop('SIGTERM')).toBe(0)
})
