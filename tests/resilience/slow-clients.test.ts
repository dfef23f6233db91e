import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../support/api.ts'
import { findTool, runTool } from './raw-http.ts'
import { recordResult } from './results-table.ts'

const SECONDS = 10
const CONNECTIONS = 300

/** A well-behaved client that sends one request after the other until stopped. Returns how long they took. */
const healthy = (api: TestApi) => {
  const times: number[] = []
  let going = true
  const done = (async () => {
    const all = await api.as()
    while (going) {
      const began = performance.now()
      expect((await all.get('/product')).status).toBe(200)
      times.push(performance.now() - began)
      await sleep(5)
    }
  })()
  return async () => {
    going = false
    await done
    const sorted = times.sort((a, b) => a - b)
    return { calls: sorted.length, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
  }
}

const common = ['-c', String(CONNECTIONS), '-r', '200', '-l', String(SECONDS), '-i', '1', '-p', '3']
const ATTACKS: [string, (origin: string) => string[]][] = [
  ['headers', (origin) => ['-H', ...common, '-u', `${origin}/healthz`]],
  [
    'bodies',
    (origin) => ['-B', ...common, '-s', '8192', '-f', 'application/json', '-u', `${origin}/api/apps/v1/auth/get-token`],
  ],
  ['reads', (origin) => ['-X', ...common, '-w', '1', '-y', '2', '-n', '1', '-z', '1', '-u', `${origin}/openapi.json`]],
]

test.each(ATTACKS)('300 slow connections (%s) do not block other clients', async (name, args) => {
  const tool = findTool('slowhttptest')
  const row = `slow clients: ${name}`
  if (!tool) return recordResult({ case: row, tried: 0, lost: 0, note: 'skipped: slowhttptest is not installed' })
  const api = await startTestApi()
  const stop = healthy(api)
  await runTool(tool, args(api.origin), (SECONDS + 10) * 1_000)
  const { calls, p99 } = await stop()
  expect(calls).toBeGreaterThan(20)
  expect(p99).toBeLessThan(10_000)
  recordResult({
    case: row,
    tried: CONNECTIONS,
    lost: 0,
    note: `p99 of a healthy client ${p99.toFixed(0)} ms, ${calls} calls`,
  })
})

test('connections whose headers never end are closed', async () => {
  const { port } = await startTestApi()
  const began = performance.now()
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n'))
    const dribble = setInterval(() => socket.write('X-A: b\r\n'), 500)
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(dribble)
      resolve(text)
    })
  })
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  const seconds = (performance.now() - began) / 1000
  expect(seconds).toBeLessThan(60)
  recordResult({
    case: 'slow clients: headers that never end',
    tried: 1,
    lost: 0,
    note: `closed after ${seconds.toFixed(0)} s`,
  })
})

test('an unauthenticated body times out after 8 seconds', async () => {
  const { port } = await startTestApi()
  const began = performance.now()
  const head = 'POST /api/apps/v1/auth/get-token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const answers = await Promise.all(
    ['Content-Length: 9000\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n'].map(
      (rest) =>
        new Promise<string>((resolve) => {
          let text = ''
          const socket = connect(port, '127.0.0.1', () => socket.write(head + rest))
          const dribble = setInterval(() => socket.write(rest.startsWith('C') ? ' ' : '1\r\n \r\n'), 500)
          socket.on('data', (chunk) => (text += chunk))
          socket.on('error', () => {})
          socket.on('close', () => {
            clearInterval(dribble)
            resolve(text)
          })
        }),
    ),
  )
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"bad_request"/)
  const seconds = (performance.now() - began) / 1000
  expect(seconds).toBeLessThan(40)
  recordResult({
    case: 'slow clients: unauthenticated bodies',
    tried: 2,
    lost: 0,
    note: `closed after ${seconds.toFixed(0)} s`,
  })
})
