import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addCleanup } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { startPostgres } from './postgres-server.ts'
import { findTool } from './raw-http.ts'
import { recordResult } from './results-table.ts'
import { getToken, seedShop } from './seeded-shop.ts'

/** The configuration of docs/deployment.md, for these ports and without TLS. */
const documentedConfig = async (folder: string, port: number, nodes: number[]) => {
  const text = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8')
  const [, server = '', upstream = '', retries = ''] =
    /```nginx\n[\s\S]*?(server \{[\s\S]*?\n\})\n```[\s\S]*?```nginx\n(upstream[\s\S]*?)```[\s\S]*?```nginx\n([\s\S]*?)```/.exec(
      text,
    ) ?? []
  const site = server
    .replace(/listen .*;/, `listen 127.0.0.1:${port};`)
    .replace(/ *ssl_certificate.*\n/g, '')
    .replace(/(proxy_pass .*\n)/, `$1${retries}`)
  const pair = upstream
    .replace('10.0.0.11:3000', `127.0.0.1:${nodes[0]}`)
    .replace('10.0.0.12:3000', `127.0.0.1:${nodes[1]}`)
  expect(site).toContain('proxy_next_upstream')
  expect(pair).toContain('keepalive')
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 512; }
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      ${pair}
      ${site}
    }`
}

const startNginx = async (tool: string, port: number, nodes: number[]) => {
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, 'conf'), await documentedConfig(folder, port, nodes))
  const child = spawn(tool, ['-c', `${folder}/conf`, '-p', folder, '-e', `${folder}/error.log`], { stdio: 'inherit' })
  addCleanup(() => child.kill('SIGTERM'))
  await expect.poll(() => fetch(`http://127.0.0.1:${port}/healthz`).then(({ status }) => status, String)).toBe(200)
  return () => readFile(path.join(folder, 'error.log'), 'utf8')
}

const nginx = findTool('nginx')

test.skipIf(!nginx)('a rolling restart of two nodes behind nginx fails no request', async () => {
  const postgres = await startPostgres()
  const shop = await seedShop(postgres.connection)
  const ports = [await freePort(), await freePort()]
  const settings = { DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder(), LOG_LEVEL: 'warn', METRICS: 'off' }
  const start = async (port: number) => {
    const node = startProcess({ ...settings, PORT: String(port), TRUST_PROXY: '1' })
    await node.ready()
    return node
  }
  const nodes = await Promise.all(ports.map(start))
  const port = await freePort()
  const errors = await startNginx(nginx as string, port, ports)
  const base = `http://127.0.0.1:${port}/api/apps/v1`
  const token = await getToken(base, shop.credentials)

  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const seen = { answered: 0, written: 0, failed: [] as string[] }
  let going = true
  const ask = (method: string, where: string, body?: string) =>
    new Promise<void>((resolve) => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
      const call = request(base + where, { method, agent, headers }, (reply) => {
        reply.resume().on('close', () => {
          if (reply.statusCode !== (body ? 201 : 200)) seen.failed.push(`${method} ${where}: ${reply.statusCode}`)
          else if (body) seen.written++
          else seen.answered++
          resolve()
        })
      })
      call.on('error', (error) => {
        seen.failed.push(`${method} ${where}: ${error}`)
        resolve()
      })
      call.end(body)
    })
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    for (let turn = caller; going; turn++) {
      if (turn % 4) await ask('GET', turn % 2 ? '/product?page_size=5' : '/order?page_size=5')
      else await ask('POST', '/customer', JSON.stringify({ email: `roll-${caller}-${turn}@example.com` }))
    }
  })

  for (const [at, port] of ports.entries()) {
    await sleep(1_000)
    expect(await nodes[at]?.stop('SIGTERM')).toBe(0)
    nodes[at] = await start(port)
  }
  await sleep(1_000)
  going = false
  await Promise.all(callers)
  agent.destroy()
  expect([...new Set(seen.failed)], await errors()).toEqual([])
  expect(seen.answered).toBeGreaterThan(50)
  const [{ count } = { count: 0 }] = await postgres.query(
    `select count(*)::int as count from customer where email like 'roll-%'`,
  )
  expect(count).toBe(seen.written)
  recordResult({
    case: 'rolling restart of two nodes behind nginx',
    tried: seen.answered + seen.written,
    lost: seen.failed.length,
  })
})
