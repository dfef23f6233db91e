// How much memory ten uploads of 100 MB at once take, above the idle server: 150 MB at most.
// Run after `npm run build`: node bench/upload-memory.mjs
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const UPLOADS = 10
const MEGABYTES = 100
const LIMIT_MB = 150
const BOUNDARY = 'upload-memory'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const main = path.join(root, process.env.DIST ?? 'dist', 'main.js')
const folder = mkdtempSync(path.join(tmpdir(), 'storefront-bench-'))
const server = spawn(process.execPath, [main], {
  cwd: folder,
  env: { ...process.env, PORT: '0', DATA_DIR: folder, DEMO: 'true', LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
})

const started = () =>
  new Promise((resolve, reject) => {
    let said = ''
    server.once('exit', () => reject(new Error(`The server did not start:\n${said}`)))
    server.stdout.on('data', (chunk) => {
      said += chunk
      const base = /Storefront Apps API\s+(\S+)/.exec(said)?.[1]
      const [install_id, client_id, client_secret] = ['install_id', 'client_id', 'client_secret'].map(
        (name) => new RegExp(`${name}\\s+(\\S+)\\n`).exec(said)?.[1],
      )
      if (base && client_secret) resolve({ base, credentials: { install_id, client_id, client_secret } })
    })
  })

const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

const upload = (base, token, n) =>
  new Promise((resolve, reject) => {
    const sending = request(`${base}/file`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    })
    sending
      .on('error', reject)
      .on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)))
    const pour = async () => {
      const block = Buffer.alloc(1024 * 1024, n)
      sending.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${n}.bin"\r\n\r\n`)
      for (let sent = 0; sent < MEGABYTES; sent++) {
        if (!sending.write(block)) await new Promise((resolve) => sending.once('drain', resolve))
      }
      sending.end(`\r\n--${BOUNDARY}--\r\n`)
    }
    pour().catch(reject)
  })

try {
  const { base, credentials } = await started()
  const response = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const { token } = (await response.json()).data
  await sleep(2000)
  const idle = residentMb()
  let most = idle
  const watch = setInterval(() => {
    most = Math.max(most, residentMb())
  }, 20)
  const start = performance.now()
  const statuses = await Promise.all(Array.from({ length: UPLOADS }, (_, n) => upload(base, token, n + 1)))
  const seconds = (performance.now() - start) / 1000
  clearInterval(watch)
  const above = most - idle
  console.log(
    `${UPLOADS} x ${MEGABYTES} MB in ${seconds.toFixed(1)} s: idle ${idle.toFixed(0)} MB, at most ${most.toFixed(0)} MB, ` +
      `${above.toFixed(0)} MB above (limit ${LIMIT_MB}); answers ${[...new Set(statuses)]}`,
  )
  process.exitCode = above <= LIMIT_MB && statuses.every((status) => status === 201) ? 0 : 1
} finally {
  server.kill('SIGTERM')
  await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve()))
  rmSync(folder, { recursive: true, force: true })
}
