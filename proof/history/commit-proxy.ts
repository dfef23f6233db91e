import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { addCleanup } from '../../tests/support/cleanup.ts'

const COMMAND_COMPLETE = 0x43
const READY = 0x5a
const IDLE = 0x49
const WROTE = /^(COMMIT|INSERT|UPDATE|DELETE)/

/** Reads the messages of a PostgreSQL server. Calls `committed` where a transaction that wrote has ended. */
const createReader = (committed: () => void) => {
  let rest = Buffer.alloc(0)
  let wrote = false
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) return
      if (rest[0] === COMMAND_COMPLETE && WROTE.test(rest.toString('latin1', 5, end - 1))) wrote = true
      if (rest[0] === READY && rest[5] === IDLE) {
        if (wrote) committed()
        wrote = false
      }
      rest = rest.subarray(end)
    }
  }
}

/**
 * Forwards connections to PostgreSQL. When armed, it cuts the next connection on which a transaction was committed before
 * the service is told: it cannot know whether its write has happened.
 */
export const startCommitProxy = async (port: number) => {
  const sockets = new Set<Socket>()
  let armed = 0
  let cuts = 0
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    const end = () => {
      incoming.destroy()
      outgoing.destroy()
      sockets.delete(incoming)
    }
    sockets.add(incoming)
    const read = createReader(() => {
      if (armed <= 0) return
      armed--
      cuts++
      end()
    })
    incoming.on('data', (data) => outgoing.write(data))
    outgoing.on('data', (data) => {
      read(data)
      if (!incoming.destroyed) incoming.write(data)
    })
    for (const socket of [incoming, outgoing]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  addCleanup(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** Cuts this many connections, each right after a commit. */
    arm: (times: number) => {
      armed = times
    },
    cuts: () => cuts,
  }
}
