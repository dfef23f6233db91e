import http, { type IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../record.ts'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  body: Json
}

const PATIENCE_MS = 20_000
/** fetch() takes several times as long for a request, and compresses each. */
const agent = new http.Agent({ keepAlive: true })

/** One request; throws when there is no answer. */
export const send = async (
  base: string,
  token: string,
  method: string,
  path: string,
  body?: Json,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const request = http.request(base + path, {
      method,
      agent,
      timeout: PATIENCE_MS,
      headers: {
        authorization: `Bearer ${token}`,
        ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
        ...headers,
      },
    })
    request.once('timeout', () => request.destroy(new Error('No answer.')))
    request.once('error', reject)
    request.once('response', (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk) => chunks.push(chunk))
      reply.once('error', reject)
      reply.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = reply.headers['content-type']?.startsWith('application/json') && text !== ''
        try {
          resolve({
            status: reply.statusCode as number,
            headers: reply.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          })
        } catch (error) {
          reject(error)
        }
      })
    })
    request.end(sent)
  })

const TRIES = 10

/** Reads what a run cannot go on without. A machine that does other things too may keep it waiting. */
export const sendPatiently = async (base: string, token: string, path: string): Promise<Reply> => {
  for (let tried = 1; ; tried++) {
    const reply = await send(base, token, 'GET', path).catch((error: Error) => {
      if (tried === TRIES) throw error
    })
    if (reply && (reply.status !== 503 || tried === TRIES)) return reply
    await sleep(1_000)
  }
}
