import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../client/src/index.ts'
import { readConfig } from '../src/config/config.ts'
import { startHttpServer } from '../src/server/http-server.ts'
import { addCleanup } from '../tests/support/cleanup.ts'
import { cloneDemo } from '../tests/support/demo-store.ts'
import { freePort } from '../tests/support/free-port.ts'
import { temporaryFolder } from '../tests/support/server-process.ts'

const run = promisify(execFile)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

let client: Client
let startServer: (port: number) => ReturnType<typeof startHttpServer>
let env: Record<string, string | undefined>

beforeAll(async () => {
  const { connection, config, demo } = await cloneDemo()
  const { WEBHOOK_PRIVATE } = readConfig({ WEBHOOK_PRIVATE: '127.0.0.1/32' })
  const server = await startHttpServer({ ...config, WEBHOOK_PRIVATE }, connection, { demo })
  addCleanup(server.close)
  startServer = (port) => startHttpServer({ ...config, PORT: port }, connection, { demo })
  const baseUrl = `http://127.0.0.1:${server.port}/api/apps/v1`
  const { client_id: clientId, client_secret: clientSecret, install_id: installId } = demo
  client = createClient({ baseUrl, clientId, clientSecret, installId })
  env = {
    ...process.env,
    STOREFRONT_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    INSTALL_ID: installId,
  }
})

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const start = (program: string, ...args: string[]): Promise<Ended> =>
  run(process.execPath, [here(program), ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

const stock = async () => {
  const quantities: Record<string, number> = {}
  for await (const { variants, default: single } of client.products.all())
    for (const variant of variants.length > 0 ? variants : [single])
      if (variant?.sku) quantities[variant.sku] = variant.quantity
  return quantities
}

test('stock-sync sets the quantities in the file and changes nothing else', async () => {
  const before = await stock()
  const { code, stdout, stderr } = await start('stock-sync.mjs', here('stock.csv'))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('0 refused')
  expect(await stock()).toEqual({ ...before, 'TAGINE-1': 12, 'TAGINE-2': 0, 'TAJIN-Z': 40, 'COCOTTE-24-2': 5 })
  expect((await start('stock-sync.mjs', here('stock.csv'))).stdout).toBe('0 changed, 4 right already, 0 refused\n')
})

test('stock-sync from JSON names unknown SKUs, and an invalid file changes nothing', async () => {
  const folder = await temporaryFolder()
  const file = path.join(folder, 'stock.json')
  const rows = [
    { sku: 'TAJIN-Z', quantity: 41 },
    { sku: 'NO-SUCH', quantity: 1 },
  ]
  await writeFile(file, JSON.stringify(rows))
  const partly = await start('stock-sync.mjs', file)
  expect(partly).toMatchObject({ code: 1, stderr: 'NO-SUCH: must be the SKU of a variant\n' })
  expect((await stock())['TAJIN-Z']).toBe(41)
  await writeFile(
    file,
    JSON.stringify([
      { sku: 'TAGINE-1', quantity: 99 },
      { sku: 'TAJIN-Z', quantity: '' },
    ]),
  )
  expect((await start('stock-sync.mjs', file)).stderr).toContain('not a SKU and a whole number')
  expect((await stock())['TAGINE-1']).not.toBe(99)
})

test('the orders of a period are exported to a file', async () => {
  const folder = await temporaryFolder()
  const file = path.join(folder, 'orders.csv')
  const period = ['--from', '2026-09-01', '--to', '2026-09-30', '--status', 'paid']
  const { code, stdout, stderr } = await start('order-exporter.mjs', file, ...period)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const text = await readFile(file, 'utf8')
  expect(stdout).toBe(`${file}: ${Buffer.byteLength(text)} bytes\n`)
  const { pagination } = await client.orders.list({ from: '2026-09-01', to: '2026-09-30', status: 'paid' })
  expect(pagination.total).toBeGreaterThan(5)
  expect(text.match(/^[0-9a-f-]{36},/gm)).toHaveLength(pagination.total ?? -1)

  const refused = await start('order-exporter.mjs', path.join(folder, 'none.csv'), '--from', 'yesterday')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/^--from /)
  expect(await readdir(folder)).toEqual(['orders.csv'])
})

test('reviews are imported once, with a progress bar, and an invalid row does not stop the others', async () => {
  const count = async () => (await client.reviews.list()).pagination.total ?? -1
  const before = await count()
  const { code, stdout, stderr } = await start('review-importer.mjs', here('reviews.csv'))
  expect({ code, stdout }).toEqual({ code: 0, stdout: '4 imported, 0 imported before, 0 refused\n' })
  expect(stderr).toMatch(/\[#{15}\.{15}\] 2\/4\n(.|\n)*\[#{30}\] 4\/4\n$/)
  expect(await count()).toBe(before + 4)
  const [newest] = (await client.reviews.list({ page_size: 1 })).reviews
  expect(newest).toMatchObject({ content: 'جميل لكن التوصيل تأخر', rating: 3, status: 'pending' })

  const folder = await temporaryFolder()
  const file = path.join(folder, 'more.csv')
  const more = 'clay-tagine,9,Too good,Ali,,\nno-such,3,Hm,Ali,,\nclay-tagine,4,Fine,Ali,,\n'
  await writeFile(file, (await readFile(here('reviews.csv'), 'utf8')) + more)
  const again = await start('review-importer.mjs', file)
  expect(again).toMatchObject({ code: 1, stdout: '1 imported, 4 imported before, 2 refused\n' })
  expect(again.stderr).toMatch(/Review 5: rating .+\nReview 6: there is no product no-such\n$/)
  expect(await count()).toBe(before + 5)
})

test('each program is short and passes the type check', async () => {
  const programs = (await readdir(here('.'))).filter((name) => name.endsWith('.mjs'))
  // Those that the demo offers have pages of their own.
  const apps = ['order-board.mjs', 'stock-counter.mjs']
  expect(programs).toHaveLength(7 + apps.length)
  for (const name of programs) {
    const lines = (await readFile(here(name), 'utf8')).split('\n').length
    expect(lines, name).toBeLessThan(apps.includes(name) ? 150 : 80)
  }
  const tsc = here('../node_modules/typescript/bin/tsc')
  const checked = run(process.execPath, [tsc, '-p', here('tsconfig.json')])
  await checked.catch(({ stdout }) => expect.unreachable(stdout))
})

/** A program that runs until it is stopped. */
const startLongRunning = (program: string, args: string[], settings: Record<string, string> = {}) => {
  const options = { env: { ...env, ...settings } }
  const child = spawn(process.execPath, [here(program), ...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  return {
    says: (text: string) => expect.poll(() => output).toContain(text),
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
  }
}

test('a mirror of the store stays in sync, even after the program is killed', async () => {
  const folder = path.join(await temporaryFolder(), 'copy')
  const copied = async (kind: string, id: string) =>
    JSON.parse(await readFile(path.join(folder, kind, `${id}.json`), 'utf8').catch(() => 'null'))
  const first = startLongRunning('store-copy.mjs', [folder])
  await first.says('snapshot:')
  const { pagination } = await client.customers.list({ page_size: 1 })
  expect(await readdir(path.join(folder, 'customer'))).toHaveLength(pagination.total ?? -1)
  const customer = await client.customers.create({ email: 'copy@example.com' })
  await first.says(`customer.created ${customer.id}`)
  expect(await copied('customer', customer.id)).toMatchObject({ email: 'copy@example.com' })
  await first.stop('SIGKILL')

  const [review] = (await client.reviews.list({ page_size: 1 })).reviews
  await client.customers.update(customer.id, { name: 'Copied' })
  await client.reviews.delete(review?.id ?? '')
  const second = startLongRunning('store-copy.mjs', [folder])
  await second.says(`review.deleted ${review?.id}`)
  expect(await copied('customer', customer.id)).toMatchObject({ name: 'Copied' })
  expect(await copied('review', review?.id ?? '')).toBeNull()
  await second.stop('SIGTERM')
})

test('a mirror of the store goes on when the server was restarted', async () => {
  const folder = path.join(await temporaryFolder(), 'copy')
  const port = await freePort()
  const before = await startServer(port)
  const program = startLongRunning('store-copy.mjs', [folder], {
    STOREFRONT_URL: `http://127.0.0.1:${port}/api/apps/v1`,
  })
  await program.says('snapshot:')
  const one = await client.customers.create({ email: 'restart-1@example.com' })
  await program.says(`customer.created ${one.id}`)
  await before.close()
  // Through another server of the same database.
  const two = await client.customers.create({ email: 'restart-2@example.com' })
  const after = await startServer(port)
  await program.says(`customer.created ${two.id}`)
  const three = await client.customers.create({ email: 'restart-3@example.com' })
  await program.says(`customer.created ${three.id}`)
  await program.stop('SIGTERM')
  await after.close()
})

test('webhooks are received and verified, and deleted when the program stops', async () => {
  const url = `http://127.0.0.1:${await freePort()}/`
  const receiver = startLongRunning('webhook-receiver.mjs', [url])
  await receiver.says('listening:')
  const customer = await client.customers.create({ email: 'hook@example.com' })
  await receiver.says(`customer.created ${customer.id}`)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400)
  expect(await client.webhooks.list()).toMatchObject([{ url, state: 'on' }])
  await receiver.stop('SIGTERM')
  expect(await client.webhooks.list()).toEqual([])
})
