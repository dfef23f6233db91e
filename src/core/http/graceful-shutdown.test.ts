import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { closeConnectionsWhenStopping } from './graceful-shutdown.ts'

/** Opens connections that stay idle, and sends a second request on each, at various moments of the shutdown. */
const CLIENT = `
const { connect } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const GET = 'GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'
let left = workerData.connections
let ready = workerData.connections
const results = []
for (let n = 0; n < workerData.connections; n++) {
  const socket = connect(workerData.port, '127.0.0.1', () => socket.write(GET))
  let replies = 0
  let isSent = false
  let isOver = false
  const finish = (result) => {
    if (isOver) return
    isOver = true
    results.push(result)
    if (--left === 0) parentPort.postMessage(results)
  }
  socket.on('data', (bytes) => {
    replies += bytes.toString().split('HTTP/1.1 200').length - 1
    if (replies === 1 && --ready === 0) parentPort.postMessage('ready')
    if (replies === 2) finish('answered')
  })
  socket.on('error', (error) => finish(isSent ? error.code : 'closed'))
  socket.on('close', () => finish(isSent ? 'no reply' : 'closed'))
  parentPort.on('message', () => setTimeout(() => {
    if (isOver) return
    isSent = true
    socket.write(GET)
  }, n * workerData.step))
}`

/** A process that is stopped and continued again and again, so that requests and timers pile up in between. */
const stallRepeatedly = () => {
  let isStopped = false
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const stall = () => {
    if (isStopped) return
    Atomics.wait(pause, 0, 0, 60)
    setImmediate(stall)
  }
  stall()
  return () => {
    isStopped = true
  }
}

test('a stalled server that shuts down answers every request that arrived before it closed the connection', async () => {
  const app = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  closeConnectionsWhenStopping(app)
  app.get('/', () => 'hello')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const client = new Worker(CLIENT, { eval: true, workerData: { port, connections: 40, step: 15 } })
  const message = () => new Promise<unknown>((resolve) => client.once('message', resolve))
  expect(await message()).toBe('ready')
  const results = message()
  const goOn = stallRepeatedly()
  client.postMessage('go')
  await Promise.all([app.close(), results])
  goOn()
  await client.terminate()
  const found = new Set((await results) as string[])
  expect([...found].filter((result) => result !== 'closed')).toEqual(['answered'])
})
