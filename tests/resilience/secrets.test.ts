import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { recordResult } from './results-table.ts'

const run = promisify(execFile)
const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Searches everything the server prints, sends, counts and names. */
test('no secret appears in logs, errors, metrics, file names or process titles', async () => {
  const folder = await temporaryFolder()
  const secret = 'a-secret-of-the-operator-0123456789abcdef'
  const server = startProcess({ DATA_DIR: folder, LOG_LEVEL: 'trace', DEMO: 'true', TOKEN_SECRET: secret })
  const base = await server.ready()
  await expect.poll(server.output).toContain('product?page_size=2')
  const announced = server.output().length
  const demo = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8'))
  const answers: string[] = []
  const call = async (target: string, init?: RequestInit) => {
    const reply = await fetch(base + target, init)
    const text = await reply.text()
    answers.push(JSON.stringify([...reply.headers]), reply.ok && target.includes('get-token') ? '' : text)
    return text
  }
  const json = { 'content-type': 'application/json' }
  const body = (value: object) => ({ method: 'POST', headers: json, body: JSON.stringify(value) })
  const { token } = JSON.parse(await call('/auth/get-token', body(demo))).data
  const authorization = `Bearer ${token}`
  const basic = Buffer.from(`${demo.client_id}:${demo.client_secret}x`).toString('base64')
  await call('/auth/get-token', body({ ...demo, client_secret: `${demo.client_secret}x`, ttl: 'x' }))
  await call('/auth/get-token', { method: 'POST', headers: { authorization: `Basic ${basic}` } })
  await call('/auth/get-token', { ...body(demo), body: `{"client_secret":"${demo.client_secret}"` })
  await call(`/product?token=${token}`, { headers: { authorization } })
  await call(`/${token}`, { headers: { authorization } })
  await call('/order', {
    ...body({ [token]: 1, status: token }),
    headers: { ...json, authorization: `${authorization}x` },
  })
  answers.push(await (await fetch(base.replace('/api/apps/v1', '/metrics'))).text())
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATA_DIR: folder }
  const backup = await run(process.execPath, [CLI, 'backup', path.join(folder, 'shop.backup')], { env })
  answers.push(backup.stdout, backup.stderr)
  const names = (await readdir(folder, { recursive: true })).join('\n')
  expect(names).toContain('shop.backup')
  const processes = (await run('ps', ['-eo', 'args'])).stdout
  await server.stop()

  const secrets = [secret, token, token.split('.')[2], demo.client_secret, basic]
  const places = { log: server.output().slice(announced), answers: answers.join('\n'), names, processes }
  let tried = 0
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(100)
    for (const word of secrets) {
      expect(text.includes(word), `${place} shows ${word}`).toBe(false)
      tried++
    }
  }
  recordResult({ case: 'secrets: searched in logs, replies, file names, processes', tried, lost: 0 })
})
