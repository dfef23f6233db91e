import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addCleanup } from './cleanup.ts'

export interface Received {
  id: string
  path: string
  /** When it arrived, by `Date.now()`. */
  at: number
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: events of every kind.
  event: any
  /** Other requests in progress when this one arrived. */
  others: Received[]
}

type Answer = (received: Received, reply: ServerResponse) => unknown

/** A real receiver of webhooks. `answer` decides how it replies. */
export const startReceiver = async (answer: Answer = (_, reply) => reply.writeHead(204).end(), host = '127.0.0.1') => {
  const received: Received[] = []
  const open = new Set<Received>()
  const receiver = { answer }
  const server = http.createServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { headers, url: path = '' } = request
    const id = headers['webhook-id'] as string
    const one = { id, path, at: Date.now(), headers, body, event: JSON.parse(body || 'null'), others: [...open] }
    received.push(one)
    open.add(one)
    reply.once('close', () => open.delete(one))
    await receiver.answer(one, reply)
  })
  server.listen(0, host)
  await once(server, 'listening')
  addCleanup(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, { server, port, received, url: `http://${host}:${port}/hook` })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
