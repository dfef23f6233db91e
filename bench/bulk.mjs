// Imports 5,000 products with 3 variants through POST /bulk while others read: how long it takes, how much memory the
// server needs, and how much slower the others are.
//   npm run build && node bench/bulk.mjs [LINES] [READERS]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { api } from './paths.mjs'
import { cpuSeconds, peakMb, postgresCpuSeconds, residentMb, startServer } from './processes.mjs'

const lines = Number(process.argv[2] ?? 5_000)
const readers = Number(process.argv[3] ?? 4)
const QUIET_MS = 8_000

const product = (n) =>
  JSON.stringify({
    title: `Imported shirt ${n}`,
    description: 'Woven in Mahdia, cut and sewn by hand, washed once. '.repeat(6),
    category: 'Shirts',
    options: [{ name: 'Size', values: ['S', 'M', 'L'].map((value) => ({ value })) }],
    variants: ['S', 'M', 'L'].map((value) => ({
      price: 45,
      quantity: 10,
      sku: `I-${n}-${value}`,
      values: [{ value }],
    })),
  })

const folder = mkdtempSync(path.join(tmpdir(), 'storefront-bulk-'))
const server = await startServer({ DATA_DIR: folder, DEMO: 'true', LOG_LEVEL: 'error' })
const base = `http://127.0.0.1:${server.port}${api}`
const { client_id, client_secret, install_id } = JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8'))
const json = { 'content-type': 'application/json' }
const reply = await fetch(`${base}/auth/get-token`, {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ client_id, client_secret, install_id }),
})
const authorization = `Bearer ${/** @type {any} */ (await reply.json()).data.token}`
const get = async (path) =>
  /** @type {any} */ (await (await fetch(base + path, { headers: { authorization } })).json()).data

/** Reads until told to stop, a little below what the machine can do, and gives the latencies. */
const readUntil = async (isOver) => {
  const latencies = []
  const paths = ['/product?page_size=20', '/order?page_size=20', '/customer?page_size=20']
  const one = async () => {
    for (let n = 0; !isOver(); n++) {
      const began = performance.now()
      await get(paths[n % paths.length])
      latencies.push(performance.now() - began)
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: readers }, one))
  return latencies.sort((a, b) => a - b)
}
const at = (sorted, part) => sorted[Math.floor(sorted.length * part)].toFixed(1)

try {
  await readUntil(
    (
      (ends) => () =>
        performance.now() > ends
    )(performance.now() + 3_000),
  )
  const quiet = await readUntil(
    (
      (ends) => () =>
        performance.now() > ends
    )(performance.now() + QUIET_MS),
  )
  const body = Array.from({ length: lines }, (_, n) => `${product(n)}\n`).join('')
  const [rss, cpu, postgresCpu] = [residentMb(server.pid), cpuSeconds(server.pid), postgresCpuSeconds(folder)]
  const began = performance.now()
  const started = await fetch(`${base}/bulk?resource=product`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-ndjson' },
    body,
  })
  const { job } = /** @type {any} */ (await started.json()).data
  let over = false
  const reading = readUntil(() => over)
  let state = job
  while (state.finished_at === null) {
    await sleep(250)
    state = (await get(`/bulk/${job.id}`)).job
  }
  const seconds = (performance.now() - began) / 1000
  over = true
  const busy = await reading
  console.log(`${lines} products: ${seconds.toFixed(1)} s, ${(lines / seconds).toFixed(0)} per second`)
  console.log(`counts: ${JSON.stringify(state.counts)}`)
  const perLine = (seconds) => ((seconds / lines) * 1000).toFixed(2)
  console.log(
    `CPU per product, reads included: ${perLine(cpuSeconds(server.pid) - cpu)} ms of the server, ` +
      `${perLine(postgresCpuSeconds(folder) - postgresCpu)} ms of PostgreSQL`,
  )
  console.log(
    `server memory: ${rss.toFixed(0)} MB before, ${residentMb(server.pid).toFixed(0)} after, ${peakMb(server.pid).toFixed(0)} at most`,
  )
  if (readers > 0) console.log(`reads alone:  p50 ${at(quiet, 0.5)} ms, p99 ${at(quiet, 0.99)} ms (${quiet.length})`)
  if (readers > 0) console.log(`reads beside: p50 ${at(busy, 0.5)} ms, p99 ${at(busy, 0.99)} ms (${busy.length})`)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
