import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type Duplex, PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../../tests/support/test-database.ts'
import { type Database, openDatabase } from './database.ts'
import { createFairQueue } from './fair-queue.ts'
import { limitResults, MAX_RESULT_BYTES } from './result-limit.ts'

let database: Database

beforeAll(async () => {
  database = openDatabase(await cloneDatabase(), { pool: 2, prepare: true, name: 'test' })
})

afterAll(() => database.close())

test('a result of more than 32 MB fails its query and nothing else', async () => {
  const large = (megabytes: number) =>
    sql<{ text: string }>`select repeat('x', ${megabytes * 2 ** 20}::int) as text`.execute(database.db)
  expect((await large(31)).rows[0]?.text.length).toBe(31 * 2 ** 20)
  await expect(large(40)).rejects.toThrow('more than 33554432 bytes')
  await expect(sql`select repeat('x', 1048576) from generate_series(1, 1000000)`.execute(database.db)).rejects.toThrow(
    'more than 33554432 bytes',
  )
  expect((await large(1)).rows[0]?.text.length).toBe(2 ** 20)
})

/** A connection whose results end with a `Z`, and the queue for large ones, of which another result holds the only slot. */
const queuedConnection = () => {
  const connection = Object.assign(new EventEmitter(), {
    attachListeners: (stream: Duplex) =>
      stream.on('data', (chunk: Buffer) => chunk.at(-1) === 90 && connection.emit('readyForQuery')),
  })
  const queue = createFairQueue({ slots: 1 })
  const other = queue.enter([{ key: 'other', max: 1 }])
  limitResults(connection as unknown as pg.Connection, {
    maxBytes: MAX_RESULT_BYTES,
    enterLargeResult: () => queue.enter([{ key: 'this', max: 1 }]),
  })
  const stream = new PassThrough()
  connection.attachListeners(stream)
  const receive = (megabytes: number, end = '') => {
    stream.write(Buffer.from('x'.repeat(megabytes * 2 ** 20) + end))
    return turn()
  }
  return { connection, queue, other, stream, receive }
}

test('a large result waits until another is finished, and frees its slot when it ends', async () => {
  const { queue, other, stream, receive } = queuedConnection()
  await receive(3)
  expect(stream.isPaused()).toBe(false)
  await receive(2)
  expect({ paused: stream.isPaused(), waiting: queue.waiting }).toEqual({ paused: true, waiting: 1 })
  other.leave()
  await turn()
  expect(stream.isPaused()).toBe(false)
  const next = queue.enter([{ key: 'other', max: 1 }])
  expect(queue.waiting).toBe(1)
  await receive(1, 'Z')
  await next.admitted
  expect(queue.waiting).toBe(0)
})

test('a result that is complete when it becomes large does not wait, and its connection is not paused', async () => {
  const { queue, stream, receive } = queuedConnection()
  await receive(3)
  await receive(2, 'Z')
  expect({ paused: stream.isPaused(), waiting: queue.waiting }).toEqual({ paused: false, waiting: 0 })
})

test('a lost connection leaves the queue', async () => {
  const { connection, queue, receive } = queuedConnection()
  await receive(5)
  expect(queue.waiting).toBe(1)
  connection.emit('end')
  expect(queue.waiting).toBe(0)
})

/** Accepts connections like PostgreSQL, then replies with a malformed message. */
const startBrokenPostgres = async (): Promise<Server> => {
  const message = (code: string, ...body: number[]) =>
    Buffer.from([code.charCodeAt(0), 0, 0, 0, 4 + body.length, ...body])
  const ready = message('Z', 'I'.charCodeAt(0))
  const server = createServer((socket) => {
    let connected = false
    socket.on('error', () => {})
    socket.on('data', () => {
      if (connected) socket.write(message('D', 0, 9))
      else socket.write(Buffer.concat([message('R', 0, 0, 0, 0), ready]))
      connected = true
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('a malformed database reply fails its query, not the process', async () => {
  const server = await startBrokenPostgres()
  const { port } = server.address() as AddressInfo
  const broken = openDatabase(
    { host: '127.0.0.1', port, user: 'u', database: 'd' },
    { pool: 1, prepare: true, name: 'test', untimed: true },
  )
  await expect(sql`select 1`.execute(broken.db)).rejects.toThrow(/out of range|outside buffer bounds/)
  await broken.close()
  server.close()
})
