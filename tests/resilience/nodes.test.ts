import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken } from './seeded-shop.ts'

const run = promisify(execFile)
const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const MIGRATIONS = new URL('../../src/core/storage/migrations/', import.meta.url)

test('three nodes started at once on an empty database serve as one and survive the loss of one', async () => {
  const postgres = await startPostgres()
  const settings = { DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder(), LOG_LEVEL: 'silent' }
  const command = async (...words: string[]) => {
    const { PATH, HOME } = process.env
    const { stdout } = await run(process.execPath, [CLI, ...words, '--json'], { env: { PATH, HOME, ...settings } })
    return JSON.parse(stdout)
  }
  const nodes = Array.from({ length: 3 }, () => startProcess(settings))
  const bases = await Promise.all(nodes.map((node) => node.ready()))

  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
  const known = ['0440_schema', ...files.map((name) => name.replace(/\.sql$/, ''))]
  const applied = nodes.flatMap((node) => [...node.output().matchAll(/^ *Applied migration (\w+) \(\d+ ms\)\.$/gm)])
  expect(applied.map(([, name]) => name).sort()).toEqual(known)
  const ledger = await postgres.query('select name from schema_migration order by name')
  expect(ledger.map(({ name }) => name)).toEqual(known)
  for (const base of bases) expect((await fetch(base.replace('/api/apps/v1', '/readyz'))).status).toBe(200)

  const store = await command('store', 'create', '--name', 'Shared')
  const app = await command('app', 'create', '--name', 'App')
  const { install_id } = await command(
    'install',
    'create',
    '--app',
    app.client_id,
    '--store',
    store.id,
    '--grant',
    'all',
  )
  const { client_id } = app
  const credentials = { client_id, client_secret: app.client_secret, install_id }
  const everywhere = (living: string[], token: string) =>
    Promise.all(living.map(async (base) => (await createShopCaller(base, token).get('/order')).status))
  const tokens = await Promise.all(bases.map((base) => getToken(base, credentials)))
  for (const token of tokens) expect(await everywhere(bases, token)).toEqual([200, 200, 200])

  const written = await createShopCaller(bases[0] as string, tokens[0] as string).post('/customer', {
    email: 'a@example.com',
  })
  expect(written.status).toBe(201)
  await nodes[0]?.stop('SIGKILL')
  const living = bases.slice(1)
  for (const base of living)
    expect(
      (await createShopCaller(base, tokens[0] as string).get(`/customer/${written.body.data.customer.id}`)).status,
    ).toBe(200)

  const kept = await command('app', 'rotate-secret', client_id)
  for (const base of living) {
    expect(await getToken(base, credentials).catch(String)).toContain('invalid_credentials')
    await getToken(base, { ...credentials, client_secret: kept.client_secret })
  }
  for (const token of tokens) expect(await everywhere(living, token)).toEqual([200, 200])
  const fresh = await command('app', 'rotate-secret', client_id, '--revoke-tokens')
  for (const token of tokens) expect(await everywhere(living, token)).toEqual([401, 401])
  const renewed = { ...credentials, client_secret: fresh.client_secret }
  for (const base of living) expect(await everywhere(living, await getToken(base, renewed))).toEqual([200, 200])

  const again = startProcess(settings)
  const token = await getToken(await again.ready(), renewed)
  expect(again.output()).not.toContain('Applied')
  expect(await everywhere(living, token)).toEqual([200, 200])
  await command('install', 'remove', install_id)
  const three = [...living, await again.ready()]
  expect(await everywhere(three, token)).toEqual([403, 403, 403])
  for (const node of [...nodes.slice(1), again]) expect(await node.stop()).toBe(0)
  await expect.poll(postgres.connections).toBe(0)
  recordResult({ case: 'three nodes started at once on an empty database', tried: 3, lost: 0 })
})
