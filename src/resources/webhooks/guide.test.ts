import { spawn, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { freePort } from '../../../tests/support/free-port.ts'
import { temporaryFolder } from '../../../tests/support/server-process.ts'
import { createEgress } from './egress.ts'
import { createWebhookSecrets } from './signing.ts'

const guide = await readFile(new URL('../../docs/guides/15-webhooks.md', import.meta.url), 'utf8')

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** What an app does with the code: compiled, with the client from this repository. Returns the compiled file. */
const compile = async (code: string, folder: string) => {
  expect(code).toContain("'storefront-apps-client'")
  const source = path.join(folder, 'receiver.mts')
  await writeFile(source, code.replace('storefront-apps-client', here('../../../client/dist/index.js')))
  const tsc = here('../../../node_modules/typescript/bin/tsc')
  const options = ['--noCheck', '--module', 'nodenext', '--target', 'es2022']
  const { status } = spawnSync(process.execPath, [tsc, source, ...options], { cwd: folder })
  expect(status).toBe(0)
  return path.join(folder, 'receiver.mjs')
}

const start = async (language: string, name: string, command: (file: string, port: number) => string[]) => {
  const [, code = ''] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide) ?? []
  const folder = await temporaryFolder()
  const file = language === 'ts' ? await compile(code, folder) : path.join(folder, name)
  if (language !== 'ts') await writeFile(file, code)
  const port = await freePort()
  const secrets = createWebhookSecrets(Buffer.alloc(32, 1))
  const webhook = { id: 'a', generation: 1 }
  const [program = '', ...args] = command(file, port)
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secrets.show(webhook) }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  addCleanup(async () => void child.kill())
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  const { BlockList } = await import('node:net')
  const opened = new BlockList()
  opened.addAddress('127.0.0.1')
  const egress = createEgress({ opened, timeoutMs: 10_000 })
  addCleanup(async () => egress.close())
  const post = async (body: string, headers: Record<string, string>) =>
    (await egress.post(`http://127.0.0.1:${port}/`, headers, Buffer.from(body))).status
  const sign = (body: string, generations = [1], at = Date.now()) =>
    secrets.sign('a', generations, 'evt_1', Buffer.from(body), at)
  await expect.poll(() => post('', {})).toBe(400)
  return { post, sign, output: () => output }
}

const body = JSON.stringify({ id: 'evt_1', type: 'order.updated', resource: { id: 'o-é' }, changed: ['status'] })

const tryReceiver = async ({ post, sign, output }: Awaited<ReturnType<typeof start>>) => {
  expect(await post(body, sign(body))).toBe(204)
  // Two signatures, of which the second fits.
  expect(await post(body, sign(body, [2, 1]))).toBe(204)
  await expect.poll(output).toContain('order.updated o-é status')
  expect(await post(`${body} `, sign(body))).toBe(400)
  expect(await post(body, sign(body, [2]))).toBe(400)
  expect(await post(body, sign(body, [1], Date.now() - 400_000))).toBe(400)
  expect(await post(body, { 'webhook-id': 'evt_1' })).toBe(400)
}

test('the receiver in TypeScript takes what is signed, and nothing else', async () => {
  await tryReceiver(await start('ts', 'receiver.mjs', (file) => [process.execPath, file]))
})

test.skipIf(!isInstalled('python3'))('the receiver in Python takes what is signed, and nothing else', async () => {
  await tryReceiver(await start('python', 'receiver.py', (file) => ['python3', file]))
})

test.skipIf(!isInstalled('php'))('the receiver in PHP takes what is signed, and nothing else', async () => {
  await tryReceiver(await start('php', 'receiver.php', (file, port) => ['php', '-S', `127.0.0.1:${port}`, file]))
})
