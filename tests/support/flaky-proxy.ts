import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addCleanup } from './cleanup.ts'

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
}

/**
 * What happens to one request: a made-up reply, a connection cut before the server receives it, a connection cut after
 * the server has handled it, or a delayed reply.
 */
export type Failure =
  | { answer: number; headers?: Record<string, string>; body?: string }
  | 'cut before'
  | 'cut after'
  | { delay: number }

const forward = (incoming: IncomingMessage, port: number) => {
  const { method, url, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers })
  incoming.pipe(outgoing)
  incoming.on('close', () => incoming.complete || outgoing.destroy())
  return once(outgoing, 'response') as Promise<[IncomingMessage]>
}

const relay = (answer: IncomingMessage, reply: ServerResponse) => {
  reply.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(reply)
  reply.on('close', () => answer.destroy())
}

/** Real HTTP in front of the real server. `plan` decides which requests fail and how. */
export const startFlakyProxy = async (
  origin: string,
  plan: (seen: SeenRequest, count: number) => Failure | undefined,
) => {
  const seen: SeenRequest[] = []
  const port = Number(new URL(origin).port)
  const handle = async (incoming: IncomingMessage, reply: ServerResponse) => {
    const entry = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers }
    seen.push(entry)
    const same = seen.filter(({ method, path }) => method === entry.method && path === entry.path).length
    const mishap = plan(entry, same)
    if (mishap === 'cut before') return void incoming.socket.destroy()
    if (mishap && typeof mishap === 'object' && 'answer' in mishap) {
      incoming.resume()
      return void reply.writeHead(mishap.answer, mishap.headers).end(mishap.body)
    }
    const [answer] = await forward(incoming, port)
    if (mishap === 'cut after') {
      // Reads the whole reply first: by then the server has handled the request.
      await answer.toArray()
      return void incoming.socket.destroy()
    }
    if (mishap) await new Promise((resolve) => setTimeout(resolve, mishap.delay))
    relay(answer, reply)
  }
  const server = createServer((incoming, reply) => {
    handle(incoming, reply).catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  addCleanup(() => {
    server.closeAllConnections()
    server.close()
  })
  const count = (method: string, path: string) =>
    seen.filter((entry) => entry.method === method && entry.path.split('?')[0]?.endsWith(path)).length
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/apps/v1`,
    seen,
    count,
    dropConnections: () => server.closeAllConnections(),
  }
}
