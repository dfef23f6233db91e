import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { form } from '../support/uploads.ts'
import type { ShopCaller } from './seeded-shop.ts'

const MAX_HELD = 100
const SORTS = ['total', 'quantity', 'date', 'status']
const PAIRS = `[${'{},'.repeat(600_000)}{}]`
const json = { 'content-type': 'application/json' }

/** Sends one request; `n` counts them. Returns the status, or nothing for a request that is held open. */
export type Attack = (n: number) => Promise<number | undefined>

const requestText = (method: string, path: string, headers: Record<string, string>, body = '') =>
  `${method} /api/apps/v1${path} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

/** Opens connections that neither send nor read, some more each time, then closes them all. */
const createHolder = (base: string) => {
  const { hostname, port } = new URL(base)
  const held: Socket[] = []
  const release = () => {
    for (const socket of held.splice(0)) socket.destroy()
  }
  const hold = async (bytes: string) => {
    if (held.length >= MAX_HELD) release()
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    held.push(socket.on('error', () => {}).pause())
    await sleep(100)
    return undefined
  }
  return { hold, release }
}

/** Attacks on every limit, by one app with all permissions and by anonymous callers. */
export const createAttacks = async (base: string, token: string, caller: ShopCaller) => {
  const authorization = `Bearer ${token}`
  const { hold, release } = createHolder(base)
  const avif = await sharp({ create: { width: 3000, height: 3000, channels: 3, background: '#864' } })
    .avif({ effort: 0 })
    .toBuffer()
  const send = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(base + path, { ...init, headers: { authorization, ...init.headers } })
    await reply.arrayBuffer()
    return reply.status
  }
  const post = (path: string, body: string) => send(path, { method: 'POST', headers: json, body })
  const largeOrder = { meta_data: { note: 'x'.repeat(60_000) } }

  const attacks: Record<string, Attack> = {
    'large lists': () => send('/order?page_size=200'),
    'a query plan per call': (n) =>
      send(`/order?page_size=${1 + (n % 200)}&order_by=${SORTS[n % 4]}&order_direction=${n % 3 ? 'ASC' : 'DESC'}`),
    searches: (n) => send(`/order?search=${'large order shop'.slice(n % 5)}&status=paid&page_size=${1 + (n % 200)}`),
    'slow lists': (n) =>
      send(`/order?exclude_delivery_status=shipped&exclude_refund_status=pending&page=${1 + (n % 5)}&page_size=200`),
    'many metadata parts': () => {
      const body = new FormData()
      for (let part = 0; part < 20; part++) body.append('metadata', `{"title":"${'x'.repeat(200_000)}"}`)
      return send('/product', { method: 'POST', body })
    },
    'pairs without a token': () => post('/auth/get-token', PAIRS),
    'a body for an unknown route': () => post('/nothing-here', PAIRS),
    'pairs with a token': () => post('/order', `{"meta_data":{"a":${PAIRS}}}`),
    'long numbers': () => post('/order', `{"meta_data":{"a":[${'1e308,'.repeat(9_000)}1]}}`),
    'incomplete bodies': () =>
      hold(requestText('POST', '/auth/get-token', { ...json, 'content-length': '16000' }, ' '.repeat(15_999))),
    'unread replies': () => hold(requestText('GET', '/order?page_size=200', { authorization }).repeat(4)),
    pictures: async () => (await caller.post('/file', form({ file: { name: 'page.avif', bytes: avif } }))).status,
    wildcards: () => send(`/file?mime_type=${Array.from({ length: 100 }, (_, n) => `*${n}*`).join()}`),
    'replies stored for a retry': async () =>
      (await caller.post('/order', largeOrder, { 'idempotency-key': randomUUID() })).status,
    documents: () => send('/../../../openapi.json', { headers: { 'accept-encoding': 'gzip' } }),
    'a forged cursor': () => send('/order?cursor=eyJ2IjpbIjAwMDAtMDEtMDEiXX0'),
    'a long X-Forwarded-For': () => send('/product', { headers: { 'x-forwarded-for': '1, '.repeat(3_000) } }),
    'a lone surrogate': () => post('/customer', '{"\\ud800":1}'),
  }
  return { attacks, release }
}
