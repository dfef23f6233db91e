/**
 * The same requests of one store against a plain database and a distributed one, alternately, on one machine.
 *
 *   node bench/citus.mjs postgresql://…/plain postgresql://…/distributed
 *
 * Both databases are loaded with the demo store first. Prints the time and the CPU time per request; the latter depends less
 * on what else the machine does. PostgreSQL's processes are found by the name of their database, so the workers must run on
 * this machine.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cpuSeconds } from './processes.mjs'
import { median } from './table.mjs'

const [plain, distributed] = process.argv.slice(2)
if (!plain || !distributed) throw new Error('Give two database URLs: a plain one and a distributed one.')
const ROUNDS = 5
const REQUESTS = 200
const WARM_UP = 600
const root = new URL('..', import.meta.url).pathname

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = address && typeof address === 'object' ? address.port : 0
      server.close(() => resolve(port))
    })
  })

const run = (file, args, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, file), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (data) => {
      out += data
    })
    child.on('exit', (code) => (code === 0 ? resolve(out) : reject(new Error(`${args.join(' ')} failed.`))))
  })

/** The processes of PostgreSQL that serve this database, on all nodes. */
const backends = (title) =>
  readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return command.startsWith('postgres: ') && command.includes(title)
    } catch {
      // Not a process, or one that has ended.
      return false
    }
  })

const start = async (name, url) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'storefront-citus-'))
  const port = await freePort()
  const env = {
    ...process.env,
    DATABASE_URL: url,
    DATA_DIR: folder,
    PORT: String(port),
    DEMO: 'true',
    LOG_LEVEL: 'silent',
  }
  const app = JSON.parse(await run('dist/cli/main.js', ['demo', '--json'], env))
  const child = spawn(process.execPath, [path.join(root, 'dist/server/main.js')], { env, stdio: 'ignore' })
  const base = `http://127.0.0.1:${port}`
  for (;;) if ((await fetch(`${base}/readyz`).catch(() => undefined))?.ok) break
  const api = `${base}/api/apps/v1`
  const login = await fetch(`${api}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(app),
  })
  /** @type {any} */
  const answer = await login.json()
  const token = answer.data.access_token ?? answer.data.token
  const call = async (method, target, body) => {
    const reply = await fetch(api + target, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${target}: ${reply.status} ${text}`)
    return JSON.parse(text).data
  }
  const [order] = (await call('GET', '/order?page_size=1')).orders
  const [product] = (await call('GET', '/product?page_size=1&out_of_stock=false')).products
  const variant = (product.variants?.[0] ?? product.default)?.id
  let n = 0
  const works = {
    'GET /order/{id}': () => call('GET', `/order/${order.id}`),
    'GET /product/{id}': () => call('GET', `/product/${product.id}`),
    'GET /order (20)': () => call('GET', '/order?page_size=20'),
    'GET /product (20)': () => call('GET', '/product?page_size=20'),
    'GET /customer (20)': () => call('GET', '/customer?page_size=20'),
    'POST /customer': () => call('POST', '/customer', { email: `${name}-${process.pid}-${n++}@example.com` }),
    'POST /order': () =>
      call('POST', '/order', {
        customer_email: `buyer-${name}-${process.pid}-${n++}@example.com`,
        variants: [{ variant_id: variant, quantity: 1 }],
      }),
    'POST /product/{id}/update': () =>
      call('POST', `/product/${product.id}/update`, { description: `Described ${n++} times.` }),
  }
  const title = ` ${new URL(url).pathname.slice(1)} `
  const cpu = () => [String(child.pid), ...backends(title)].reduce((sum, pid) => sum + (cpuSeconds(pid) || 0) * 1000, 0)
  return {
    works,
    cpu,
    stop: () => {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const sides = [await start('plain', plain), await start('distributed', distributed)]
console.log('request              plain ms  Citus ms  ratio  plain CPU  Citus CPU  ratio')
for (const name of Object.keys(sides[0].works)) {
  /** @type {number[][]} */
  const times = [[], []]
  const used = [0, 0]
  for (let round = 0; round < ROUNDS; round++)
    for (const [side, { works, cpu }] of sides.entries()) {
      if (round === 0) for (let k = 0; k < WARM_UP; k++) await works[name]()
      const before = cpu()
      const started = performance.now()
      for (let k = 0; k < REQUESTS; k++) await works[name]()
      times[side].push((performance.now() - started) / REQUESTS)
      used[side] += (cpu() - before) / REQUESTS / ROUNDS
    }
  const columns = [...times.map(median), used[0], used[1]]
  const [plainMs, citusMs, plainCpu, citusCpu] = columns
  console.log(
    name.padEnd(18),
    ...[plainMs, citusMs].map((ms) => ms.toFixed(1).padStart(9)),
    (plainMs / citusMs).toFixed(2).padStart(6),
    ...[plainCpu, citusCpu].map((ms) => ms.toFixed(1).padStart(10)),
    (plainCpu / citusCpu).toFixed(2).padStart(6),
  )
}
for (const { stop } of sides) stop()
