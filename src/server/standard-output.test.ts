import { execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { freePort } from '../../tests/support/free-port.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'
import { BufferedOutput } from './standard-output.ts'

const describeLoss = (lines: number) => `${lines} lost\n`

test('log lines beyond the buffer of a stalled reader are dropped, and their number is logged once it reads again', async () => {
  const taken: string[] = []
  let release: (() => void) | undefined
  const output = new BufferedOutput({
    sink: (text, done) => {
      taken.push(text)
      release = done
    },
    describeLoss,
    isFinal: () => true,
  })
  const line = `${'x'.repeat(999)}\n`
  for (let n = 0; n < 3_000; n++) output.write(line)
  expect(taken.join('').length).toBeLessThan(10_000)
  release?.()
  const [, rest = ''] = taken
  expect(rest.length).toBeLessThan(1_100_000)
  const dropped = Number(/^(\d+) lost\n/.exec(rest)?.[1])
  expect(taken.join('').split(line)).toHaveLength(3_000 - dropped + 1)
  release?.()
  output.writeNow('next\n')
  expect(taken.at(-1)).toBe('next\n')
})

test('a full disk loses only the lines written while it is full', async () => {
  const taken: string[] = []
  let full = true
  const output = new BufferedOutput({
    sink: (text, done) => {
      if (!full) taken.push(text)
      queueMicrotask(() => done(full ? new Error('ENOSPC') : null))
    },
    describeLoss,
    isFinal: () => false,
  })
  output.writeNow('one\ntwo\n')
  await output.flushed(1_000)
  full = false
  output.writeNow('three\n')
  await output.flushed(1_000)
  expect(taken).toEqual(['2 lost\nthree\n'])
})

/** The built server with the given output, on a known port, so that nobody has to read the output. */
const start = async (stdio: StdioOptions, settings: Record<string, string> = {}, inTerminal = false) => {
  const port = await freePort()
  const { PATH, HOME } = process.env
  const DATABASE_URL = databaseUrl(await cloneDatabase())
  const main = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
  const [command, ...words] = inTerminal
    ? ['script', '-qec', `exec ${process.execPath} ${main}`, '/dev/null']
    : [process.execPath, main]
  const child = spawn(command as string, words, {
    env: { PATH, HOME, DATABASE_URL, DATA_DIR: await temporaryFolder(), PORT: String(port), ...settings },
    stdio,
  })
  addCleanup(() => child.kill('SIGKILL'))
  const origin = `http://127.0.0.1:${port}`
  const ready = () =>
    expect.poll(() => fetch(`${origin}/healthz`).then(({ status }) => status, String), { interval: 100 }).toBe(200)
  const ask = async () =>
    (await fetch(`${origin}/api/apps/v1/permission`, { signal: AbortSignal.timeout(60_000) })).status
  const stop = async () => {
    child.kill('SIGTERM')
    return (await once(child, 'exit'))[0]
  }
  return { child, ready, ask, stop }
}

test('a log reader that exits at once does not affect the server', async () => {
  const server = await start(['ignore', 'pipe', 'pipe'])
  server.child.stdout?.destroy()
  server.child.stderr?.destroy()
  await server.ready()
  for (let n = 0; n < 50; n++) expect(await server.ask()).toBe(200)
  expect(await server.stop()).toBe(0)
})

test('a log reader that exits later, as tee does on Ctrl-C, does not affect it either', async () => {
  const server = await start(['ignore', 'pipe', 'inherit'], { WORKERS: '2' })
  server.child.stdout?.resume()
  await server.ready()
  expect(await server.ask()).toBe(200)
  server.child.stdout?.destroy()
  expect(await server.ask()).toBe(200)
  expect(await server.stop()).toBe(0)
})

test.skipIf(process.platform === 'win32')(
  'a pipe that nobody reads delays neither requests nor the shutdown',
  async () => {
    const pipe = path.join(await temporaryFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    const end = openSync(pipe, 'r+')
    addCleanup(() => closeSync(end))
    const server = await start(['ignore', end, 'inherit'])
    await server.ready()
    // A pipe holds 64 kB, some 400 of these lines.
    for (let n = 0; n < 10; n++)
      for (const status of await Promise.all(Array.from({ length: 50 }, server.ask))) expect(status).toBe(200)
    expect(await server.stop()).toBe(0)
  },
)

test.skipIf(process.platform !== 'linux')(
  'a terminal that is paused with Ctrl-S does not keep requests waiting',
  async () => {
    const server = await start(['pipe', 'pipe', 'inherit'], {}, true)
    server.child.stdout?.resume()
    await server.ready()
    server.child.stdin?.write('\x13')
    // A terminal holds a few kB.
    for (let n = 0; n < 10; n++)
      for (const status of await Promise.all(Array.from({ length: 50 }, server.ask))) expect(status).toBe(200)
    // Ctrl-Q and Ctrl-C.
    server.child.stdin?.write('\x11\x03')
    expect((await once(server.child, 'exit'))[0]).toBe(0)
  },
)
