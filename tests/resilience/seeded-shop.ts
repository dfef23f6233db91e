import type pg from 'pg'
import { migrateDatabase, withUntimedDatabase } from '../../src/core/storage/connect.ts'
import { createApp } from '../../src/resources/auth/create-app.ts'
import { createInstallation } from '../../src/resources/auth/create-installation.ts'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import { createStore } from '../../src/resources/stores/create-store.ts'
import { addProduct } from '../support/products.ts'

export const STOCK = 1_000_000

/** Creates a store with two products and an app with every permission, directly in the database. */
export const seedShop = async (connection: pg.ClientConfig) => {
  await migrateDatabase(connection)
  return withUntimedDatabase(connection, 'test', async ({ db }) => {
    const store = await createStore(db, { name: 'Faults' })
    const app = await createApp(db, 'App')
    const { install_id } = await createInstallation(db, app.client_id, store.id, PERMISSIONS)
    const mug = await addProduct({ db, store }, { title: 'Mug', quantity: STOCK })
    const hat = await addProduct({ db, store }, { title: 'Hat', quantity: STOCK })
    const { client_id, client_secret } = app
    return { store: store.id, mug, hat, credentials: { client_id, client_secret, install_id } }
  })
}

export type Shop = Awaited<ReturnType<typeof seedShop>>

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape.
  body: any
  ms: number
}

/** Calls a server that may be killed before it replies; then it throws. */
export const createShopCaller = (base: string, token: string) => {
  const send = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const began = performance.now()
    const form = body instanceof FormData
    const reply = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && !form && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: form ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const json = reply.headers.get('content-type')?.startsWith('application/json')
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      body: json ? JSON.parse(text) : undefined,
      ms: performance.now() - began,
    }
  }
  return {
    send,
    get: (path: string) => send('GET', path),
    post: (path: string, body?: object, headers?: Record<string, string>) => send('POST', path, body, headers),
    put: (path: string, body?: object, headers?: Record<string, string>) => send('PUT', path, body, headers),
  }
}

export type ShopCaller = ReturnType<typeof createShopCaller>

export const getToken = async (base: string, credentials: object): Promise<string> => {
  const reply = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const body = (await reply.json()) as { data?: { token: string } }
  if (!body.data) throw new Error(`No token: ${JSON.stringify(body)}`)
  return body.data.token
}

/** A number from `/metrics`, summed over its labels unless one is given. */
export const readMetric = async (base: string, name: string, label = ''): Promise<number> => {
  const text = await (await fetch(base.replace('/api/apps/v1', '/metrics'))).text()
  return text
    .split('\n')
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
