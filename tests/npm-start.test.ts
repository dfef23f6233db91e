import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { openEngine } from '../src/core/storage/embedded/engine.ts'
import { getToken, type Shop, seedShop } from './resilience/seeded-shop.ts'
import { addCleanup } from './support/cleanup.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from './support/free-port.ts'
import { beginRequest, untilPortIsClosed } from './support/half-request.ts'
import { temporaryFolder } from './support/server-process.ts'
import { form } from './support/uploads.ts'

// Runs the operator's commands and signals them as terminals and process managers do.

const root = fileURLToPath(new URL('..', import.meta.url))
let folder: string
let credentials: Shop['credentials']

beforeAll(async () => {
  folder = await temporaryFolder()
  const engine = await openEngine(folder, { kind: 'command', name: 'test' })
  credentials = (await seedShop(engine.connection)).credentials
  await engine.close()
})

const start = (command: string, args: string[], settings: Record<string, string> = {}) => {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH,
      HOME,
      TMPDIR,
      npm_config_update_notifier: 'false',
      PORT: '0',
      DATA_DIR: folder,
      DEMO: 'false',
      ...settings,
    },
    // A separate process group.
    detached: true,
  })
  addCleanup(() => end(child))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  return { child, exited, output: () => printed }
}

const end = (child: ChildProcess) => {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // Already exited, as expected.
  }
}

/** Waits until the server is ready; returns its address and a token. */
const ready = async ({ child, output }: ReturnType<typeof start>) => {
  const address = () => /Storefront Apps API\s+(http\S+\/v1)/.exec(output())?.[1]
  await eventually(async () => expect(child.exitCode ?? address()).toBeDefined())
  const base = address()
  if (!base) throw new Error(`The server ended: ${output()}`)
  return { base, token: await getToken(base, credentials) }
}

/** Starts an upload and sends the first half. */
const beginUpload = async ({ base, token }: { base: string; token: string }) => {
  const whole = new Request(base, { method: 'POST', body: form({ file: { bytes: Buffer.alloc(400_000, 7) } }) })
  const bytes = Buffer.from(await whole.arrayBuffer())
  const headers = { authorization: `Bearer ${token}`, 'content-type': whole.headers.get('content-type') as string }
  return beginRequest(`${base}/file`, headers, bytes)
}

const postgresPid = async () =>
  Number.parseInt(await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)

/** A zombie, which nobody has waited for yet, has no command line: it counts as gone. */
const isAlive = (pid: number) =>
  readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (command) => command !== '',
    () => false,
  )

test.skipIf(process.platform !== 'linux').each([1, 2])(
  'Ctrl-C in a terminal stops npm start gracefully, with %i HTTP processes',
  async (workers) => {
    const settings = { WORKERS: String(workers), ...(workers > 1 && { PORT: String(await freePort()) }) }
    const npm = start('script', ['-qec', 'exec npm start', '/dev/null'], settings)
    const service = await ready(npm)
    const upload = await beginUpload(service)
    const postgres = await postgresPid()
    npm.child.stdin.write('\x03')
    await eventually(async () => expect(npm.output()).toContain('Stopping'))
    await untilPortIsClosed(service.base)
    upload.finish()
    expect(await upload.status).toBe(201)
    expect((await npm.exited)[0], npm.output()).toBe(0)
    expect(await isAlive(postgres)).toBe(false)
    expect(npm.output()).not.toMatch(/error|Another takes its place/i)
  },
)

test.skipIf(process.platform !== 'linux')('closing the terminal stops npm start gracefully', async () => {
  const npm = start('script', ['-qec', 'exec npm start', '/dev/null'])
  const service = await ready(npm)
  const upload = await beginUpload(service)
  const postgres = await postgresPid()
  npm.child.kill('SIGKILL')
  await untilPortIsClosed(service.base)
  upload.finish()
  expect(await upload.status).toBe(201)
  await eventually(async () => expect(await isAlive(postgres)).toBe(false))
})

test('SIGTERM to the whole process group of npm start stops it gracefully', async () => {
  const npm = start('npm', ['start'])
  const service = await ready(npm)
  const upload = await beginUpload(service)
  const postgres = await postgresPid()
  process.kill(-(npm.child.pid as number), 'SIGTERM')
  await untilPortIsClosed(service.base)
  upload.finish()
  expect(await upload.status).toBe(201)
  expect((await npm.exited)[0], npm.output()).toBe(0)
  expect(await isAlive(postgres)).toBe(false)
})

test.each([
  ['npm', 'start'],
  ['npx', 'storefront', 'serve'],
  ['node', 'scripts/storefront.mjs', 'serve'],
])('SIGTERM to %s %s alone stops the server too', async (command, ...args) => {
  const started = start(command, args)
  const service = await ready(started)
  const upload = await beginUpload(service)
  const postgres = await postgresPid()
  started.child.kill('SIGTERM')
  await untilPortIsClosed(service.base)
  upload.finish()
  expect(await upload.status).toBe(201)
  await started.exited
  await eventually(async () => expect(await isAlive(postgres)).toBe(false))
})

test('a second signal, seconds after the first, aborts open requests and stops PostgreSQL; SIGHUP does not', async () => {
  const server = start('node', ['scripts/storefront.mjs', 'serve'])
  const service = await ready(server)
  const upload = await beginUpload(service)
  const postgres = await postgresPid()
  server.child.kill('SIGTERM')
  await untilPortIsClosed(service.base)
  await sleep(2_100)
  // A terminal closes once. npm may pass its signal on late.
  server.child.kill('SIGHUP')
  await sleep(500)
  expect(await isAlive(postgres)).toBe(true)
  server.child.kill('SIGTERM')
  expect((await server.exited)[0]).toBe(1)
  expect(await upload.status).toMatch(/Error/)
  expect(await isAlive(postgres)).toBe(false)
})
