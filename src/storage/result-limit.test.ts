import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../tests/support/test-database.ts'
import { type Database, openDatabase } from './database.ts'

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

/** Speaks just enough of PostgreSQL's protocol to be connected to, then answers with a message that cannot be read. */
const startLiar = async (): Promise<Server> => {
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

test('an answer that cannot be read fails its query, not the process', async () => {
  const server = await startLiar()
  const { port } = server.address() as AddressInfo
  const liar = openDatabase(
    { host: '127.0.0.1', port, user: 'u', database: 'd' },
    { pool: 1, prepare: true, name: 'test', untimed: true },
  )
  await expect(sql`select 1`.execute(liar.db)).rejects.toThrow(/out of range|outside buffer bounds/)
  await liar.close()
  server.close()
})
