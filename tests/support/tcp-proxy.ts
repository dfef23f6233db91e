import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { addCleanup } from './cleanup.ts'

/** Forwards connections to a port or a socket of this machine, until it is frozen or cut. */
export const startTcpProxy = async (target: NetConnectOpts) => {
  const sockets = new Set<Socket>()
  let state: 'forwarding' | 'frozen' | 'cut' = 'forwarding'
  const server = createServer({ pauseOnConnect: true }, (incoming) => {
    if (state === 'cut') return void incoming.destroy()
    const outgoing = connect(target)
    const pair = [incoming, outgoing] as const
    for (const [at, socket] of pair.entries()) {
      const other = pair[1 - at] as Socket
      sockets.add(socket)
      socket.on('data', (data) => other.write(data))
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      if (state === 'frozen') socket.pause()
      else socket.resume()
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
    /** Connections stay open, and nothing gets through. */
    freeze: () => {
      state = 'frozen'
      for (const socket of sockets) socket.pause()
    },
    cut: () => {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    restore: () => {
      state = 'forwarding'
      for (const socket of sockets) socket.resume()
    },
  }
}
