import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../tests/support/eventually.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { beginTokenRequest, untilPortIsClosed } from '../../tests/support/half-request.ts'
import { startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
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

const childrenOf = (pid: number | undefined) =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)

describe.concurrent('a process', () => {
  test.each([
    ['exception', `throw new Error('boom')`, 'uncaughtException'],
    ['rejection', `Promise.reject(new Error('boom'))`, 'unhandledRejection'],
  ])(
    'an uncaught %s is logged, requests in flight are answered, and the process exits with 1',
    async (_what, statement, origin) => {
      const { server, base } = await start(statement)
      const call = await beginTokenRequest(base)
      server.child.kill('SIGUSR2')
      await untilPortIsClosed(base)
      call.finish()
      expect(await call.status).toBe(401)
      expect(await server.ended()).toBe(1)
      const line = server
        .output()
        .split('\n')
        .find((line) => line.includes('boom')) as string
      expect(JSON.parse(line)).toMatchObject({ level: 60, origin, err: { message: 'boom', stack: expect.any(String) } })
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'an HTTP process that crashes is replaced, and the others continue',
    async () => {
      const { server, base } = await start(`throw new Error('boom')`, {
        WORKERS: '2',
        PORT: String(await freePort()),
      })
      const before = childrenOf(server.child.pid)
      expect(before).toHaveLength(2)
      const calls = await Promise.all([1, 2, 3, 4].map(() => beginTokenRequest(base)))
      const [failing = 0] = before
      process.kill(failing, 'SIGUSR2')
      await eventually(async () => expect(server.output()).toContain('boom'))
      for (let n = 0; n < 20; n++) expect((await fetch(`${base}/permission`)).status).toBe(200)
      for (const { finish } of calls) finish()
      for (const { status } of calls) expect(await status).toBe(401)
      await eventually(async () => {
        expect(childrenOf(server.child.pid)).not.toContain(failing)
        expect(childrenOf(server.child.pid)).toHaveLength(2)
        expect(server.output()).toContain('An HTTP process exited (1). It is replaced.')
      })
      expect((await fetch(`${base}/permission`)).status).toBe(200)
      expect(await server.stop()).toBe(0)
    },
  )

  test('a stopping node replies with 503 to /readyz for a while before it closes its port', async () => {
    const { server, base } = await start('', { SHUTDOWN_DELAY_SECONDS: '4' })
    const { origin } = new URL(base)
    const status = async (path: string) => (await fetch(origin + path, { headers: { connection: 'close' } })).status
    expect(await status('/readyz')).toBe(200)
    const stopped = server.stop('SIGTERM')
    await eventually(async () => expect(await status('/readyz')).toBe(503))
    expect(await status('/healthz')).toBe(200)
    expect(await stopped).toBe(0)
  })
})
