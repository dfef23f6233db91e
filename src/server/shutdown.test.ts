import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort, startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'

/** Makes a process fail with an uncaught error on SIGUSR2. */
const failing = (statement: string) =>
  `--import=data:text/javascript,process.on('SIGUSR2',()=>{${encodeURIComponent(statement)}})`

const start = async (statement: string, settings: Record<string, string> = {}) => {
  const server = startProcess({
    DATABASE_URL: databaseUrl(await cloneDatabase()),
    DATA_DIR: await temporaryFolder(),
    NODE_OPTIONS: failing(statement),
    ...settings,
  })
  return { server, base: await server.ready() }
}

/** A request of which the server has received the first half. */
const beginCall = async (base: string) => {
  let finish = () => {}
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"client_id":"nobody",'))
      finish = () => {
        controller.enqueue(new TextEncoder().encode('"client_secret":"x"}'))
        controller.close()
      }
    },
  })
  const headers = { 'content-type': 'application/json' }
  const reply = fetch(`${base}/auth/get-token`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  await sleep(300)
  return { reply, finish: () => finish() }
}

test.each([
  ['exception', `throw new Error('boom')`, 'uncaughtException'],
  ['rejection', `Promise.reject(new Error('boom'))`, 'unhandledRejection'],
])(
  'an uncaught %s is logged, requests in flight are answered, and the process exits with 1',
  async (_what, statement, origin) => {
    const { server, base } = await start(statement)
    const call = await beginCall(base)
    server.child.kill('SIGUSR2')
    await expect.poll(server.output).toContain('boom')
    await sleep(300)
    call.finish()
    expect((await call.reply).status).toBe(401)
    expect(await server.ended()).toBe(1)
    const line = server
      .output()
      .split('\n')
      .find((line) => line.includes('boom')) as string
    expect(JSON.parse(line)).toMatchObject({ level: 60, origin, err: { message: 'boom', stack: expect.any(String) } })
  },
)

const childrenOf = (pid: number | undefined) =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)

test.skipIf(process.platform !== 'linux')(
  'an HTTP process that crashes is replaced, and the others continue',
  async () => {
    const { server, base } = await start(`throw new Error('boom')`, {
      WORKERS: '2',
      PORT: String(await freePort()),
    })
    const before = childrenOf(server.child.pid)
    expect(before).toHaveLength(2)
    const calls = await Promise.all([1, 2, 3, 4].map(() => beginCall(base)))
    const [failing = 0] = before
    process.kill(failing, 'SIGUSR2')
    await expect.poll(server.output).toContain('boom')
    for (let n = 0; n < 20; n++) expect((await fetch(`${base}/permission`)).status).toBe(200)
    for (const { finish } of calls) finish()
    for (const { reply } of calls) expect((await reply).status).toBe(401)
    await expect.poll(() => childrenOf(server.child.pid)).not.toContain(failing)
    await expect.poll(() => childrenOf(server.child.pid)).toHaveLength(2)
    await expect.poll(server.output).toContain('An HTTP process exited (1). It is replaced.')
    expect((await fetch(`${base}/permission`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)

test('before it closes its port, a node tells its load balancer for a while that it is stopping', async () => {
  const { server, base } = await start('', { SHUTDOWN_DELAY_SECONDS: '2' })
  const { origin } = new URL(base)
  const status = async (path: string) => (await fetch(origin + path, { headers: { connection: 'close' } })).status
  expect(await status('/readyz')).toBe(200)
  const stopped = server.stop('SIGTERM')
  await expect.poll(() => status('/readyz'), { interval: 20 }).toBe(503)
  expect(await status('/healthz')).toBe(200)
  expect(await stopped).toBe(0)
})
